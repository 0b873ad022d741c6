import { configMapResource, namespaceResource } from '#api/core.js';
import { type Kustomization, kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { KubeObject, ObjectRef, ResourceType, Unstructured } from '#api/meta.js';
import { act } from '#controllers/kustomization/act.js';
import { finalize } from '#controllers/kustomization/finalize.js';
import { NEIGHBOUR_INDEXES } from '#controllers/kustomization/neighbours.js';
import { conclude, concludeError } from '#controllers/kustomization/model/conclude.js';
import { NAME_LABEL } from '#controllers/kustomization/model/objects.js';
import { decide } from '#controllers/kustomization/model/decide.js';
import type { SyncPass } from '#controllers/kustomization/prepare.js';
import type { Member } from '#engine/member/member.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { problemOf } from '#engine/flux/reconcile.js';
import type { Plan } from '#controllers/kustomization/model/types.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { TerminalError } from '#lib/errors.js';
import { Serial } from '#lib/serial.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { MemoryKube } from './client.js';
import { MemoryServer } from './server.js';

/** The namespace of all Kustomizations and their objects. */
export const NAMESPACE = 'team';
const NOW = { generation: 1, now: '2026-01-01T00:00:00Z' };
const OWN_KINDS: ReadonlyMap<string, ResourceType> = new Map([
  ['ConfigMap', configMapResource],
  ['Namespace', namespaceResource],
]);

/** A request with a version that nothing has creates what does not exist, as on a real server. */
class Creating extends MemoryKube {
  /** Called before an object is applied. */
  beforeApply: (name: string) => Promise<void> | void = () => undefined;
  /** Called before an object is deleted. */
  beforeDelete: (name: string) => Promise<void> | void = () => undefined;
  /** Called before an object is patched. */
  beforePatch: (name: string) => Promise<void> | void = () => undefined;
  readonly #server: MemoryServer;
  /** A server does one write after the other. */
  readonly #turns = new Serial();

  constructor(server: MemoryServer) {
    super(server, 'engine');
    this.#server = server;
  }

  override async apply<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options: Parameters<Kube['apply']>[2],
  ): Promise<T> {
    if (options.dryRun !== true) await this.beforeApply(object.metadata.name);
    return this.#turns.run('', () => this.#applyNow(type, object, options));
  }

  #applyNow<T extends KubeObject>(type: ResourceType, object: T, options: Parameters<Kube['apply']>[2]): Promise<T> {
    const live = this.#server.get(type, object.metadata);
    const { resourceVersion, ...metadata } = object.metadata;
    const isCreated = live === undefined && resourceVersion !== undefined;
    return super.apply(type, isCreated ? { ...object, metadata } : object, options);
  }

  override async patch<T extends KubeObject>(...[type, ref, ...rest]: Parameters<Kube['patch']>): Promise<T> {
    await this.beforePatch(ref.name);
    return super.patch(type, ref, ...rest);
  }

  override async delete(...[type, ref, options]: Parameters<Kube['delete']>): Promise<boolean> {
    await this.beforeDelete(ref.name);
    return super.delete(type, ref, options);
  }
}

/** A ConfigMap. */
export function map(name: string, from = '', annotations: Readonly<Record<string, string>> = {}): Unstructured {
  const metadata = { name, namespace: NAMESPACE, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { from } };
}

/** An object without a namespace. */
export const NAMESPACE_OBJECT: Unstructured = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } };
const SCOPES = new Map([
  ['v1 ConfigMap', true],
  ['v1 Namespace', false],
]);
const idOf = (name: string): string => `${NAMESPACE}_${name}__ConfigMap`;
/** An inventory of ConfigMaps. */
export const entriesOf = (names: readonly string[]) => ({
  entries: names.map((name) => ({ id: idOf(name), v: 'v1' })),
});

/** Kustomizations of one cluster, whose passes are those of the engine. */
export class Files {
  readonly server = new MemoryServer(() => 0);
  readonly kube = new Creating(this.server);
  readonly #revisions = new Map<string, { readonly objects: readonly Unstructured[]; readonly revision: string }>();
  readonly events: string[] = [];
  /** Cached instead of the Kustomizations that there are. */
  cached: readonly Kustomization[] | undefined;
  #count = 0;
  readonly #turns = new Serial();

  constructor() {
    const asking = { actor: 'user', manager: 'user' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    this.server.create(namespaceResource, namespace, asking);
  }

  publish(name: string, objects: readonly Unstructured[], more: Partial<Kustomization['spec']> = {}): void {
    this.#count += 1;
    this.#revisions.set(name, { objects, revision: `r${this.#count}` });
    const known = this.server.get(kustomizationResource, ref(name)) as Kustomization | undefined;
    const spec = { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name }, ...more };
    const creationTimestamp = `2026-01-01T00:00:0${this.#count}Z`;
    const metadata = {
      ...ref(name),
      uid: name,
      creationTimestamp,
      generation: 1,
      finalizers: ['finalizers.fluxcd.io'],
    };
    const made = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata };
    const object = { ...(known ?? made), spec };
    this.server.restore(kustomizationResource, object);
  }

  all(): Kustomization[] {
    return this.server.list(kustomizationResource) as Kustomization[];
  }

  read(name: string): Kustomization {
    return this.server.get(kustomizationResource, ref(name)) as Kustomization;
  }

  /** Sets what a Kustomization says of itself. */
  edit(name: string, { metadata = {}, status }: { metadata?: object; status?: KustomizationStatus }): void {
    const before = this.read(name);
    const after = {
      ...before,
      metadata: { ...before.metadata, ...metadata },
      ...(status === undefined ? {} : { status }),
    };
    this.server.restore(kustomizationResource, after);
  }

  ready(name: string): string {
    const ready = getCondition(this.read(name).status?.conditions, 'Ready');
    return ready?.status === 'True' ? 'Ready' : (ready?.reason ?? '');
  }

  message(name: string, type = 'Ready'): string {
    return getCondition(this.read(name).status?.conditions, type)?.message ?? '';
  }

  inventory(name: string): string[] {
    return (this.read(name).status?.inventory?.entries ?? []).map(({ id }) => id.split('_')[1] ?? '');
  }

  map(name: string): { readonly uid: string | undefined; readonly from: unknown } | undefined {
    const live = this.server.get(configMapResource, ref(name)) as
      (Unstructured & { data?: { from?: unknown } }) | undefined;
    return live && { uid: live.metadata.uid, from: live.data?.from };
  }

  /** The Kustomization that the label of a ConfigMap names. */
  ownerOf(name: string): string | undefined {
    return this.server.get(configMapResource, ref(name))?.metadata.labels?.[NAME_LABEL];
  }

  #cache(): Partial<SyncPass['kustomizations']> {
    const list = (): Kustomization[] => [...(this.cached ?? this.all())];
    const byIndex = (index: string, value: string): Kustomization[] =>
      list().filter((each) => NEIGHBOUR_INDEXES[index]?.(each).includes(value));
    return {
      list,
      byIndex,
      get: ({ name, namespace }) => list().find(({ metadata: m }) => m.name === name && m.namespace === namespace),
    };
  }

  #pass(name: string): SyncPass {
    const kustomization = this.read(name);
    const kinds = (_version: string, kind: string): Promise<ResourceType> =>
      Promise.resolve(OWN_KINDS.get(kind) ?? configMapResource);
    const member = {
      ...{ key: 'host', kube: this.kube, resourceType: kinds, servedType: kinds },
      clusterUid: () => Promise.resolve('host'),
      expectKind: () => undefined,
    } as unknown as Member;
    const signal = new AbortController().signal;
    const status = {
      current: kustomization.status ?? {},
      object: kustomization,
      settle: () => Promise.resolve(),
      sayLater: () => undefined,
      write: () => this.#write(name, status.current),
      writeUnchanged: async () => {
        await this.#write(name, status.current);
        return true;
      },
      isOwn: () => Promise.resolve(true),
    };
    const { revision } = this.#revisions.get(name) ?? { revision: '' };
    return {
      ...{ kube: this.kube, kustomization, signal, status, now: () => 0, ignored: () => undefined },
      members: { get: () => Promise.resolve(member), close: () => Promise.resolve() },
      settings: {},
      turns: this.#turns,
      kustomizations: this.#cache(),
      events: {
        record: (_object: unknown, _type: string, reason: string, message: string) =>
          this.events.push(`${name} ${reason} ${message}`),
      },
      log: createLogger('silent'),
      secrets: new SecretTexts(),
      artifact: { revision, path: '', url: '', digest: '', lastUpdateTime: '' },
      context: { member, fieldManager: 'kustomize-controller', namespace: '', signal },
    } as unknown as SyncPass; // as much of it as is needed
  }

  async #write(name: string, status: KustomizationStatus): Promise<void> {
    await Promise.resolve();
    const asking = { actor: 'engine', manager: 'engine', subresource: 'status' } as const;
    this.server.update(kustomizationResource, { ...this.read(name), status } as KubeObject, asking);
  }

  async #act(plan: Plan, pass: SyncPass): Promise<Conclusion<KustomizationStatus>> {
    try {
      const acted = await act(plan, pass);
      return conclude(plan, acted, { status: pass.status.current, moment: NOW, durationMs: 1 });
    } catch (error: unknown) {
      if (!(error instanceof TerminalError)) throw error;
      const failure = { error, problem: problemOf(error, 'ReconciliationFailed'), isLostArtifact: false };
      return concludeError(pass.kustomization, failure, { status: pass.status.current, moment: NOW });
    }
  }

  async reconcile(name: string): Promise<string> {
    const pass = this.#pass(name);
    const { objects = [] } = this.#revisions.get(name) ?? {};
    const digest = pass.artifact.revision;
    const plan = decide({
      ...{ kustomization: pass.kustomization, artifact: pass.artifact, isWatched: true },
      manifests: { kind: 'manifests', objects, digest, template: '', secrets: [], saysEmpty: true, scopes: SCOPES },
    });
    const { status, events } = await this.#act(plan, pass);
    this.events.push(...events.map(({ reason, message }) => `${name} ${reason} ${message}`));
    await this.#write(name, status);
    return this.ready(name);
  }

  /** Several passes, in turn. */
  async play(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.reconcile(name);
  }

  /** The user deletes it. */
  delete(name: string): void {
    this.server.delete(kustomizationResource, ref(name), {}, { actor: 'user', manager: 'user' });
  }

  async remove(name: string): Promise<void> {
    this.delete(name);
    await finalize(this.#pass(name));
  }

  skipped(): string[] {
    return this.events.filter((event) => event.includes('PruneSkipped'));
  }
}

/** How a Kustomization or ConfigMap is found. */
function ref(name: string): ObjectRef & { namespace: string } {
  return { name, namespace: NAMESPACE };
}
