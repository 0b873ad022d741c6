import { expect } from '@jest/globals';
import { controllerRevisionResource } from '#api/core.js';
import type { Condition } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { SAVED_BY_ANNOTATION } from '#api/v1alpha1/labels.js';
import { helmTemplateResource, type HelmTemplate, type HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { TemplateRevision } from '#api/v1alpha1/template.js';
import { listAll } from '#runtime/client/kube.js';
import { getCondition } from '#lib/kube/conditions.js';
import { fixture } from '../../support/fixture.js';
import { auditEntriesUntilNow, eventually } from '../../support/world.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { Harness, type HarnessOptions } from '../application/harness.js';

/** Applications with templates, made and read as a user would. */
export class TemplateHarness {
  readonly applications: Harness;
  readonly type = helmTemplateResource;

  private constructor(applications: Harness) {
    this.applications = applications;
  }

  static async start(options: HarnessOptions = {}): Promise<TemplateHarness> {
    return new TemplateHarness(await Harness.start({ withTemplates: true, ...options }));
  }

  stop(): Promise<void> {
    return this.applications.stop();
  }

  /** Applies a HelmTemplate for chart podinfo of the test's HelmRepository. */
  template(
    name: string,
    more: Partial<HelmTemplateSpec> = {},
    namespace = this.applications.namespace,
  ): Promise<HelmTemplate> {
    const spec = {
      sourceRef: { kind: 'HelmRepository', name: 'charts', namespace },
      chart: { chart: 'podinfo', version: '1.x' },
      ...more,
    } as const;
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate', metadata: { name, namespace } };
    return this.applications.kube.apply<HelmTemplate>(
      helmTemplateResource,
      { ...object, spec },
      { fieldManager: 'user', force: true },
    );
  }

  find(name: string, namespace = this.applications.namespace): Promise<HelmTemplate | undefined> {
    return this.applications.kube.get<HelmTemplate>(helmTemplateResource, { name, namespace });
  }

  remove(name: string, namespace = this.applications.namespace): Promise<boolean> {
    return this.applications.kube.delete(helmTemplateResource, { name, namespace });
  }

  /** Waits until the template has this revision and can be used. */
  hasRevision(name: string, revision: number, namespace = this.applications.namespace): Promise<void> {
    return eventually(async () => {
      const { metadata, status } = (await this.find(name, namespace)) ?? {};
      expect(status).toMatchObject({ revision, observedGeneration: metadata?.generation });
      expect(getCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Valid' });
    });
  }

  /** The revisions that are kept of a template, oldest first. */
  async revisions(name: string): Promise<number[]> {
    const query = { namespace: this.applications.namespace };
    const { items } = await listAll<TemplateRevision>(this.applications.kube, controllerRevisionResource, query);
    const own = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    return own.map(({ revision }) => revision).sort((a, b) => a - b);
  }

  /** An Application that uses a template. */
  user(name: string, template: string, entries: Deploy[] = [deploy(name)]): Application {
    const base = this.applications.wanted(name, []);
    return {
      ...base,
      spec: { kind: 'fluxcd', fluxApp: { spec: { config: { helmRelease: { template, deploy: entries } } } } },
    };
  }

  /** Applies an Application that uses a template, and waits until it says which. */
  async use(name: string, template: string, entries?: Deploy[]): Promise<void> {
    await this.applications.apply(this.user(name, template, entries));
    await this.inUse(name, /./);
  }

  inUse(name: string, text: RegExp): Promise<void> {
    return eventually(async () => expect((await this.applications.read(name)).status?.template).toMatch(text));
  }

  /** Lets the only child of an Application be installed, as Flux would say it. */
  async runs(name: string): Promise<void> {
    const [child] = await this.applications.eventuallyHas(name, 1);
    await this.applications.report(child!, 'True', 'InstallSucceeded');
    await this.applications.becomes(name, 'True', 'AllReady');
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    return getCondition((await this.applications.read(name)).status?.conditions, type);
  }

  /** What the only child of an Application says of the chart. */
  async chartOf(name: string): Promise<unknown> {
    const [child] = await this.applications.childrenOf(name);
    return (child?.spec['chart'] as { spec: unknown } | undefined)?.spec;
  }

  async savedBy(name: string): Promise<string | undefined> {
    return (await this.find(name))?.metadata.annotations?.[SAVED_BY_ANNOTATION];
  }

  /** As that of the Applications. */
  position(name: string): Promise<number> {
    return this.applications.position(name);
  }

  /** What was written since then to children whose name has `part` in it: `verb resource name`. */
  async writes(since: number, part: string, resources = ['helmreleases', 'kustomizations']): Promise<string[]> {
    const entries = await auditEntriesUntilNow(this.applications.host, since);
    return entries.flatMap(({ verb, objectRef }) => {
      const { namespace, resource = '', name = '' } = objectRef ?? {};
      const isMeant = namespace === this.applications.namespace && resources.includes(resource) && name.includes(part);
      return isMeant ? [`${verb} ${resource} ${name}`] : [];
    });
  }
}

/** A harness for the tests of a file or of a describe block. */
export function useTemplates(options: HarnessOptions = {}): TemplateHarness {
  return fixture(
    () => TemplateHarness.start(options),
    (harness) => harness.stop(),
  );
}
