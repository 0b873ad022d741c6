import { expect } from '@jest/globals';
import type { Logger } from 'pino';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { eventResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { backendOf, BACKENDS } from '#controllers/application/model/backends/index.js';
import { labelValue } from '#controllers/application/model/child/messages.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Settings } from '#controllers/application/deps.js';
import { applicationController } from '#controllers/application/setup.js';
import type { SetupContext } from '#runtime/controller.js';
import { listAll, type DeleteOptions, type Kube } from '#runtime/client/kube.js';
import { templateControllers } from '#controllers/template/setup.js';
import { defined } from '#lib/plain.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { Cluster } from '#sandbox/world.js';
import { erase } from '../../support/erase.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster, runControllers, type RunningControllers } from '../../support/harness.js';
import type { PassCounter } from '../../support/passes.js';
import { auditEntriesUntilNow, auditPosition, eventually, useWorld } from '../../support/world.js';
import { application, SOURCE, type Deploy } from '../../unit/application/model/builders.js';

/** What a test reads of a core/v1 Event. */
interface Recorded extends KubeObject {
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
}

/** Of the controllers: where a grant that names no namespaces takes clusters from. */
const CONTROLLER_NAMESPACE = 'fairlead-test';

/** Kubeconfig Secrets that every test finds; nobody reads what they hold. */
const MEMBERS = ['eu', 'us'];

export interface HarnessOptions extends Partial<Settings> {
  /** The controllers of templates run too. */
  readonly withTemplates?: boolean;
  /** A cluster that no other test uses: what runs on it sees all of its namespaces. */
  readonly ownCluster?: Cluster;
  /** What the controllers ask instead of the client of the test. */
  readonly through?: Kube;
  readonly log?: Logger;
  /** Epoch milliseconds. Default: the clock of the machine. */
  readonly now?: () => number;
}

/** Makes what every test finds in its namespace: a HelmRepository, a GitRepository and the Secrets of two members. */
export async function createFixtures(kube: Kube, namespace: string): Promise<void> {
  await kube.create(helmRepositoryResource, repository('charts', namespace));
  await kube.create(gitRepositoryResource, gitRepository('fleet', namespace));
  for (const name of MEMBERS) {
    await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
  }
}

/** A HelmRepository that nobody fetches. */
export function repository(name: string, namespace: string): KubeObject {
  const spec = { url: 'https://charts.invalid', interval: '10m' };
  const object = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository', metadata: { name, namespace } };
  return { ...object, spec } as KubeObject;
}

/** A GitRepository that nobody fetches. */
function gitRepository(name: string, namespace: string): KubeObject {
  const spec = { url: 'https://git.invalid/fleet', interval: '10m' };
  const object = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: { name, namespace } };
  return { ...object, spec } as KubeObject;
}

/** A cluster of the namespace, by its kubeconfig Secret, which nobody reads; without labels it is still one. */
export function putCluster({ kube, namespace }: Harness, name: string, labels: Record<string, string> = {}) {
  const metadata = { name, namespace, labels: { 'gitops.kubesphere.io/cluster': 'true', ...labels } };
  return kube.apply(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata }, { fieldManager: 'u', force: true });
}

/** A namespace of a real API server where only our own kinds are reconciled: the engine's part is left to the test. */
export class Harness {
  readonly host: Cluster;
  readonly kube: Kube;
  readonly namespace: string;
  readonly #controllers: RunningControllers;

  private constructor(
    { host, kube, namespace }: Pick<Harness, 'host' | 'kube' | 'namespace'>,
    options: HarnessOptions,
  ) {
    this.host = host;
    this.kube = kube;
    this.namespace = namespace;
    this.#controllers = this.startControllers(options);
  }

  /** Runs the controllers, beside those that run already if they do. */
  startControllers(from: HarnessOptions = {}): RunningControllers {
    const { withTemplates = false, ownCluster, through = this.kube, log, now, ...more } = from;
    const seen = ownCluster === undefined ? this.namespace : undefined;
    const options = { allowCrossNamespace: true, controllerNamespace: CONTROLLER_NAMESPACE, ...more };
    return runControllers({ kube: through, namespace: seen, log }, [
      (context) => applicationController({ ...context, ...defined({ now }) }, options),
      ...(withTemplates ? [(context: SetupContext) => templateControllers(context, options)] : []),
    ]);
  }

  /** Ends the controllers that the harness began with. */
  pause(): Promise<void> {
    return this.#controllers.stop();
  }

  /** The passes of these. */
  get passes(): PassCounter {
    return this.#controllers.passes;
  }

  /** Runs `work`, which calls for a pass over what has this name, and waits until it was made and no other one follows. */
  passAfter(name: string, work: () => Promise<unknown>): Promise<void> {
    return this.passes.after({ name, namespace: this.namespace }, work);
  }

  /** For a test that ends it itself; see `useHarness`. */
  static async start(options: HarnessOptions = {}): Promise<Harness> {
    const world = options.ownCluster === undefined ? await useWorld() : undefined;
    const host = options.ownCluster ?? world?.host;
    if (host === undefined) throw new Error('a world has a host');
    const { kube, namespace } = await prepareCluster(host, 'app');
    await createFixtures(kube, namespace);
    return new Harness({ host, kube, namespace }, { ...options, ...defined({ helmPath: world?.tools.helm }) });
  }

  /** Leaves nothing behind that the controllers of later tests in this world would work on. */
  async stop(): Promise<void> {
    await this.pause();
    const types = [applicationResource, ...BACKENDS.map(({ resource }) => resource)];
    for (const type of types) await erase(this.kube, type, this.namespace);
    await this.kube.close();
  }

  /** The HelmReleases and Kustomizations for an Application, by name. */
  async childrenOf(name: string): Promise<Child[]> {
    const query = { namespace: this.namespace };
    const lists = BACKENDS.map(({ resource }) => listAll<Child>(this.kube, resource, query));
    const all = (await Promise.all(lists)).flatMap(({ items }) => items);
    const own = all.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === labelValue(name));
    return own.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** A child as ks-devops makes it: the server makes up its name, and its owner is no controller. */
  legacyChild({ apiVersion, kind, metadata }: Application, key: string, spec: Child['spec']): Promise<Child> {
    const made = {
      generateName: metadata.name,
      // The server replaces it; the type of a child asks for one.
      name: '',
      namespace: this.namespace,
      labels: { 'app.kubernetes.io/managed-by': metadata.name },
      annotations: { 'app.kubernetes.io/name': key },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
    };
    const chart = { spec: { chart: 'podinfo', version: '1.x', ...SOURCE } };
    const child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: made };
    return this.kube.create<Child>(helmReleaseResource, { ...child, spec: { interval: '1m', chart, ...spec } });
  }

  /** Waits until the controller has heard of so many children of an Application without entries. */
  hasHeardOf(name: string, count: number): Promise<void> {
    return eventually(async () => expect((await this.read(name)).status?.destinations).toHaveLength(count));
  }

  wanted(name: string, entries: Deploy[]): Application {
    return { ...application(entries), metadata: { name, namespace: this.namespace } };
  }

  put(name: string, entries: Deploy[]): Promise<Application> {
    return this.apply(this.wanted(name, entries));
  }

  apply(wanted: Application): Promise<Application> {
    return this.kube.apply(applicationResource, wanted, { fieldManager: 'user', force: true });
  }

  remove(name: string, options: DeleteOptions = {}): Promise<boolean> {
    return this.kube.delete(applicationResource, { name, namespace: this.namespace }, options);
  }

  find(name: string): Promise<Application | undefined> {
    return this.kube.get<Application>(applicationResource, { name, namespace: this.namespace });
  }

  async read(name: string): Promise<Application> {
    const live = await this.find(name);
    if (live === undefined) throw new Error(`no Application ${name}`);
    return live;
  }

  /** Merges annotations into an Application. */
  annotate(name: string, annotations: Record<string, string | null>): Promise<Application> {
    const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
    return this.kube.patch(applicationResource, { name, namespace: this.namespace }, patch, { fieldManager: 'user' });
  }

  /**
   * A position in the audit log, when no pass over what has this name is under way: what is seen of a write may come
   * before its entry.
   */
  async position(name: string): Promise<number> {
    await this.passes.atRest({ name, namespace: this.namespace });
    return auditPosition(this.host);
  }

  /**
   * What the controller wrote, and what anybody deleted, in its namespace after `since` (a position of the audit log),
   * without events; only of objects whose names begin with `prefix`, if that is given.
   */
  async writes(since: number, prefix = ''): Promise<string[]> {
    const entries = await auditEntriesUntilNow(this.host, since);
    const ours = entries.filter(
      ({ verb, requestURI, objectRef }) =>
        objectRef?.namespace === this.namespace &&
        (objectRef.name ?? '').startsWith(prefix) &&
        (verb === 'delete' || requestURI.includes(`fieldManager=${FIELD_MANAGER}`)),
    );
    return ours.map(({ verb, objectRef }) =>
      [verb, objectRef?.resource, objectRef?.subresource].filter((part) => part !== undefined).join(' '),
    );
  }

  /**
   * The events about an Application, oldest first, as `reason: message`; one that was seen more than once says how
   * often.
   */
  async eventsOf(name: string): Promise<string[]> {
    const { items } = await listAll<Recorded>(this.kube, eventResource, { namespace: this.namespace });
    const about = items.filter(
      ({ involvedObject }) => involvedObject.kind === 'Application' && involvedObject.name === name,
    );
    return about.map(
      ({ reason, message, count = 1 }) => `${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
    );
  }

  /** Waits until the controller says this about the newest generation. */
  becomes(name: string, status: string, reason: string): Promise<void> {
    return eventually(async () => {
      const live = await this.read(name);
      expect(getCondition(live.status?.conditions, 'Ready')).toMatchObject({ status, reason });
      expect(live.status?.observedGeneration).toBe(live.metadata.generation);
    });
  }

  /** Waits until there are `count` children for an Application, and returns them. */
  async eventuallyHas(name: string, count: number): Promise<Child[]> {
    await eventually(async () => expect(await this.childrenOf(name)).toHaveLength(count));
    return this.childrenOf(name);
  }

  async eventuallyGone(name: string, options?: { timeoutMs: number }): Promise<void> {
    await eventually(async () => expect(await this.find(name)).toBeUndefined(), options);
  }

  /** Gives a child the finalizers of its engine, or takes them away. */
  async finalizers(child: Child, ...finalizers: string[]): Promise<void> {
    await this.kube.patch(backendOf(child).resource, child.metadata, {
      type: 'merge',
      body: { metadata: { finalizers } },
    });
  }

  /** Writes the status of a child as Flux would. */
  async report(
    child: Child,
    status: 'True' | 'False' | 'Unknown',
    reason: string,
    message = `${reason} happened`,
  ): Promise<void> {
    const generation = child.metadata.generation ?? 1;
    const base = { type: 'Ready', reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const body = {
      status: { observedGeneration: generation, conditions: [{ ...base, status, observedGeneration: generation }] },
    };
    await this.kube.patch(
      backendOf(child).resource,
      child.metadata,
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }
}

/** A harness for the tests of a file or of a describe block. */
export function useHarness(options: HarnessOptions = {}): Harness {
  return fixture(
    () => Harness.start(options),
    (harness) => harness.stop(),
  );
}
