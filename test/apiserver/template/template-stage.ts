import { expect } from '@jest/globals';
import { controllerRevisionResource } from '../../../api/core.js';
import type { Condition } from '../../../api/meta.js';
import type { Application } from '../../../api/v1alpha1/application.js';
import { SAVED_BY_ANNOTATION } from '../../../api/v1alpha1/labels.js';
import { helmTemplateResource, type HelmTemplate, type HelmTemplateSpec } from '../../../api/v1alpha1/helm-template.js';
import type { TemplateRevision } from '../../../api/v1alpha1/template.js';
import { listAll } from '../../../controllers/runtime/kube.js';
import { getCondition } from '../../../controllers/runtime/pure/conditions.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { Stage, type StageOptions } from '../application/stage.js';

/** A stage with templates on it, made and read as a user would. */
export class TemplateStage {
  readonly stage: Stage;
  readonly type = helmTemplateResource;

  private constructor(stage: Stage) {
    this.stage = stage;
  }

  static async start(options: StageOptions = {}): Promise<TemplateStage> {
    return new TemplateStage(await Stage.start({ withTemplates: true, ...options }));
  }

  stop(): Promise<void> {
    return this.stage.stop();
  }

  /** Applies a HelmTemplate for chart podinfo of the stage's repository. */
  template(
    name: string,
    more: Partial<HelmTemplateSpec> = {},
    namespace = this.stage.namespace,
  ): Promise<HelmTemplate> {
    const spec = {
      sourceRef: { kind: 'HelmRepository', name: 'charts', namespace },
      chart: { chart: 'podinfo', version: '1.x' },
      ...more,
    } as const;
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate', metadata: { name, namespace } };
    return this.stage.kube.apply<HelmTemplate>(
      helmTemplateResource,
      { ...object, spec },
      { fieldManager: 'user', force: true },
    );
  }

  find(name: string, namespace = this.stage.namespace): Promise<HelmTemplate | undefined> {
    return this.stage.kube.get<HelmTemplate>(helmTemplateResource, { name, namespace });
  }

  remove(name: string, namespace = this.stage.namespace): Promise<boolean> {
    return this.stage.kube.delete(helmTemplateResource, { name, namespace });
  }

  /** Waits until the template has this revision and can be used. */
  hasRevision(name: string, revision: number, namespace = this.stage.namespace): Promise<void> {
    return eventually(async () => {
      const { metadata, status } = (await this.find(name, namespace)) ?? {};
      expect(status).toMatchObject({ revision, observedGeneration: metadata?.generation });
      expect(getCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Valid' });
    });
  }

  /** The revisions that are kept of a template, oldest first. */
  async revisions(name: string): Promise<number[]> {
    const query = { namespace: this.stage.namespace };
    const { items } = await listAll<TemplateRevision>(this.stage.kube, controllerRevisionResource, query);
    const own = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    return own.map(({ revision }) => revision).sort((a, b) => a - b);
  }

  /** An Application that uses a template. */
  user(name: string, template: string, entries: Deploy[] = [deploy(name)]): Application {
    const base = this.stage.wanted(name, []);
    return {
      ...base,
      spec: { kind: 'fluxcd', fluxApp: { spec: { config: { helmRelease: { template, deploy: entries } } } } },
    };
  }

  /** Applies an Application that uses a template, and waits until it says which. */
  async use(name: string, template: string, entries?: Deploy[]): Promise<void> {
    await this.stage.apply(this.user(name, template, entries));
    await this.inUse(name, /./);
  }

  inUse(name: string, text: RegExp): Promise<void> {
    return eventually(async () => expect((await this.stage.read(name)).status?.template).toMatch(text));
  }

  /** Lets the only child of an Application be installed, as Flux would say it. */
  async runs(name: string): Promise<void> {
    const [child] = await this.stage.eventuallyHas(name, 1);
    await this.stage.report(child!, 'True', 'InstallSucceeded');
    await this.stage.becomes(name, 'True', 'AllReady');
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    return getCondition((await this.stage.read(name)).status?.conditions, type);
  }

  /** What the only child of an Application says of the chart. */
  async chartOf(name: string): Promise<unknown> {
    const [child] = await this.stage.childrenOf(name);
    return (child?.spec['chart'] as { spec: unknown } | undefined)?.spec;
  }

  async savedBy(name: string): Promise<string | undefined> {
    return (await this.find(name))?.metadata.annotations?.[SAVED_BY_ANNOTATION];
  }

  position(): Promise<number> {
    return auditPosition(this.stage.host);
  }

  /** What was written since then to children on the stage whose name has `part` in it: `verb resource name`. */
  async writes(since: number, part: string, resources = ['helmreleases', 'kustomizations']): Promise<string[]> {
    const entries = await auditEntries(this.stage.host, since);
    return entries.flatMap(({ verb, objectRef }) => {
      const { namespace, resource = '', name = '' } = objectRef ?? {};
      const isMeant = namespace === this.stage.namespace && resources.includes(resource) && name.includes(part);
      return isMeant ? [`${verb} ${resource} ${name}`] : [];
    });
  }
}
