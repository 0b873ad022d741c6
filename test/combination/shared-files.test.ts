import { expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { type Kustomization, kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { KubeObject, ObjectRef, ResourceType, Unstructured } from '#api/meta.js';
import { act } from '#controllers/kustomization/act.js';
import { finalize } from '#controllers/kustomization/finalize.js';
import { BY_CLUSTER, clustersOf } from '#controllers/kustomization/neighbours.js';
import { conclude, concludeError } from '#controllers/kustomization/model/conclude.js';
import { decide } from '#controllers/kustomization/model/decide.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';
import type { SyncPass } from '#controllers/kustomization/prepare.js';
import type { Member } from '#engine/member/member.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { problemOf } from '#engine/flux/reconcile.js';
import type { Plan } from '#controllers/kustomization/model/types.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { CancelledError, TerminalError, TransientError } from '#lib/errors.js';
import { Turns } from '#lib/turns.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { MemoryKube } from './world/client.js';
import { MemoryServer } from './world/server.js';

const NAMESPACE = 'team';
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
  /** True: nobody can say which Kustomizations there are. */
  isMute = false;

  override async get<T extends KubeObject>(...[type, ref]: Parameters<Kube['get']>): Promise<T | undefined> {
    if (this.isMute && type === kustomizationResource) throw new TransientError('no answer');
    return super.get<T>(type, ref);
  }

  override async apply<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options: Parameters<Kube['apply']>[2],
  ): Promise<T> {
    if (options.dryRun !== true) await this.beforeApply(object.metadata.name);
    const live = await this.get(type, object.metadata);
    const { resourceVersion, ...metadata } = object.metadata;
    const isCreated = live === undefined && resourceVersion !== undefined;
    return super.apply(type, isCreated ? { ...object, metadata } : object, options);
  }

  override async delete(...[type, ref, options]: Parameters<Kube['delete']>): Promise<boolean> {
    await this.beforeDelete(ref.name);
    return super.delete(type, ref, options);
  }
}

function map(name: string, from = '', annotations: Readonly<Record<string, string>> = {}): Unstructured {
  const metadata = { name, namespace: NAMESPACE, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { from } };
}

const NAMESPACE_OBJECT: Unstructured = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } };
const SCOPES = new Map([
  ['v1 ConfigMap', true],
  ['v1 Namespace', false],
]);
const idOf = (name: string): string => `${NAMESPACE}_${name}__ConfigMap`;
const entriesOf = (names: readonly string[]) => ({ entries: names.map((name) => ({ id: idOf(name), v: 'v1' })) });

/** Kustomizations of one cluster, whose passes are those of the engine. */
class Files {
  readonly server = new MemoryServer(() => 0);
  readonly kube = new Creating(this.server, 'engine');
  readonly #revisions = new Map<string, { readonly objects: readonly Unstructured[]; readonly revision: string }>();
  readonly events: string[] = [];
  /** What is cached instead of what there is. */
  cached: readonly Kustomization[] | undefined;
  #count = 0;
  readonly #turns = new Turns();

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

  #cache(): Partial<SyncPass['kustomizations']> {
    const list = (): Kustomization[] => [...(this.cached ?? this.all())];
    const byIndex = (index: string, value: string): Kustomization[] =>
      list().filter((each) => index === BY_CLUSTER && clustersOf(each).includes(value));
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

function ref(name: string): ObjectRef & { namespace: string } {
  return { name, namespace: NAMESPACE };
}

/** A Kustomization that is Ready with these objects. */
async function has(files: Files, name: string, objects: readonly Unstructured[], spec = {}): Promise<void> {
  files.publish(name, objects, spec);
  expect(await files.reconcile(name)).toBe('Ready');
}

/** Two that have one object each of their own, and have applied x so far. */
async function sharing(files: Files): Promise<void> {
  await has(files, 'a', [map('x', 'a'), map('of-a')]);
  await has(files, 'b', [map('of-b')]);
  files.edit('b', { status: { ...files.read('b').status, inventory: entriesOf(['x', 'of-b']) } });
  await has(files, 'b', [map('x', 'b'), map('of-b')]);
}

test('nothing of a refused attempt is applied or pruned, and it stays refused', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('old')]);
  files.publish('b', [map('new'), map('x', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(files.message('b')).toContain('ConfigMap/team/x is that of Kustomization a');
  expect(files.read('b').status?.takenByOthers).toEqual([{ id: idOf('x'), v: 'v1' }]);
  expect(files.inventory('b')).toEqual(['old']);
  expect([files.map('x')?.from, files.map('new'), files.map('old')?.from]).toEqual(['a', undefined, '']);
  await files.remove('b');
  expect([files.map('x')?.from, files.map('old')]).toEqual(['a', undefined]);
});

test('an object that moves is handed over, also by a deletion', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  const before = files.map('x')?.uid;
  files.publish('b', [map('x', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await has(files, 'a', [map('stays')]);
  expect(files.skipped()).toEqual([expect.stringContaining('ConfigMap/team/x is left in place: Kustomization b')]);
  expect(files.inventory('a')).toEqual(['stays']);
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.read('b').status?.takenByOthers).toBeUndefined();
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
  files.publish('c', [map('x', 'c')]);
  expect(await files.reconcile('c')).toBe('TargetTaken');
  await files.remove('b');
  expect(await files.reconcile('c')).toBe('Ready');
  expect(files.map('x')).toEqual({ uid: before, from: 'c' });
  await files.remove('c');
  expect(files.map('x')).toBeUndefined();
});

test('what is left to one that wants it no longer is pruned', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  files.publish('b', [map('x', 'b'), map('of-b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await has(files, 'a', [map('stays')]);
  expect(files.map('x')?.from).toBe('a');
  await has(files, 'b', [map('of-b')]);
  expect([files.map('x'), files.inventory('a'), files.inventory('b')]).toEqual([undefined, ['stays'], ['of-b']]);
});

test('what is left to one that is deleted then is deleted with it, and nothing that another one has', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('y', 'a')]);
  files.publish('b', [map('x', 'b'), map('y', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await has(files, 'a', [map('y', 'a')]);
  await files.remove('b');
  expect([files.map('x'), files.map('y')?.from]).toEqual([undefined, 'a']);
});

test.each(['a', 'b'])('two that swap objects both get them, %s first', async (first) => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('y', 'b')]);
  const before = [files.map('x')?.uid, files.map('y')?.uid];
  files.publish('a', [map('y', 'a')]);
  files.publish('b', [map('x', 'b')]);
  const order = first === 'a' ? ['a', 'b'] : ['b', 'a'];
  await files.play(...order, ...order, ...order);
  expect([files.ready('a'), files.ready('b')]).toEqual(['Ready', 'Ready']);
  expect([files.map('x'), files.map('y')]).toEqual([
    { uid: before[0], from: 'b' },
    { uid: before[1], from: 'a' },
  ]);
  expect([files.inventory('a'), files.inventory('b')]).toEqual([['y'], ['x']]);
});

test('two that each want what the other one has as well both wait', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('y', 'b')]);
  files.publish('a', [map('x', 'a'), map('y', 'a')]);
  files.publish('b', [map('x', 'b'), map('y', 'b')]);
  await files.play('a', 'b', 'b', 'a', 'b');
  expect([files.ready('a'), files.ready('b')]).toEqual(['TargetTaken', 'TargetTaken']);
  expect([files.map('x')?.from, files.map('y')?.from]).toEqual(['a', 'b']);
});

test.each([
  ['itself', [{ name: 'a' }]],
  ['through another one', [{ name: 'between' }]],
])('nobody waits for one that depends on it, %s', async (_name, dependsOn) => {
  const files = new Files();
  await has(files, 'a', [map('of-a')]);
  await has(files, 'between', [map('of-between')], { dependsOn: [{ name: 'a' }] });
  await has(files, 'b', [map('x', 'b')], { dependsOn });
  await has(files, 'a', [map('of-a'), map('x', 'a')]);
  expect(files.map('x')?.from).toBe('a');
});

test('a Namespace of two sources stays while one of them lists it, and both go on', async () => {
  const files = new Files();
  await has(files, 'a', [NAMESPACE_OBJECT, map('x')]);
  await has(files, 'b', [NAMESPACE_OBJECT, map('y')]);
  await files.remove('b');
  expect(files.skipped()).toEqual([expect.stringContaining('Kustomization a has it too')]);
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeDefined();
  await files.remove('a');
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeUndefined();
});

test('two that have kept one object so far go on, and neither prunes what the other one lists', async () => {
  const files = new Files();
  await sharing(files);
  expect(files.map('x')?.from).toBe('b');
  await has(files, 'b', [map('of-b')]);
  await files.play('b');
  expect([files.map('x')?.from, files.skipped().length, files.inventory('b')]).toEqual(['b', 1, ['of-b']]);
  expect(await files.reconcile('a')).toBe('Ready');
  expect(files.map('x')?.from).toBe('a');
  await has(files, 'a', [map('of-a')]);
  expect(files.map('x')).toBeUndefined();
});

test.each([
  ['one after the other', ['b', 'a', 'b', 'a']],
  ['the other way round', ['a', 'b', 'a', 'b']],
])('what both drop is pruned once, %s', async (_name, order) => {
  const files = new Files();
  await sharing(files);
  files.publish('a', [map('of-a')]);
  files.publish('b', [map('of-b')]);
  await files.play(...order);
  expect([files.map('x'), files.inventory('a'), files.inventory('b')]).toEqual([undefined, ['of-a'], ['of-b']]);
});

test('what both drop at the same time is pruned', async () => {
  const files = new Files();
  await sharing(files);
  files.publish('a', [map('of-a')]);
  files.publish('b', [map('of-b')]);
  await Promise.all([files.reconcile('a'), files.reconcile('b')]);
  await Promise.all([files.reconcile('a'), files.reconcile('b')]);
  await files.play('a', 'b');
  expect([files.map('x'), files.inventory('a'), files.inventory('b')]).toEqual([undefined, ['of-a'], ['of-b']]);
});

test('what both drop stays if pruning is disabled', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a', { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' }), map('of-a')]);
  await has(files, 'a', [map('of-a')]);
  expect([files.map('x')?.from, files.inventory('a')]).toEqual(['a', ['of-a']]);
});

test('what one takes back while it leaves it to another one is a conflict again', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  files.publish('b', [map('x', 'b')]);
  await files.play('b');
  await has(files, 'a', [map('stays')]);
  await files.play('b');
  files.publish('a', [map('x', 'a'), map('stays')]);
  expect(await files.reconcile('a')).toBe('TargetTaken');
  await files.play('b', 'a');
  expect([files.map('x')?.from, files.ready('b'), files.ready('a')]).toEqual(['b', 'Ready', 'TargetTaken']);
});

test('of two that wait for an object one gets it', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  for (const name of ['b', 'c']) files.publish(name, [map('x', name)]);
  await files.play('b', 'c');
  await has(files, 'a', [map('stays')]);
  await Promise.all([files.reconcile('b'), files.reconcile('c').catch(() => undefined)]);
  await files.play('b', 'c', 'a', 'b', 'c');
  expect([files.ready('b'), files.ready('c')].sort()).toEqual(['Ready', 'TargetTaken']);
  const winner = files.ready('b') === 'Ready' ? 'b' : 'c';
  expect([files.map('x')?.from, files.inventory('a')]).toEqual([winner, ['stays']]);
});

test('a process that ends while it takes an object goes on with it, and nobody else takes it meanwhile', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  for (const name of ['b', 'c']) files.publish(name, [map('x', name)]);
  await files.play('b');
  await has(files, 'a', [map('stays')]);
  files.kube.beforeApply = () => {
    throw new CancelledError();
  };
  await expect(files.reconcile('b')).rejects.toThrow(CancelledError);
  files.kube.beforeApply = () => undefined;
  expect([files.inventory('b'), files.read('b').status?.takenByOthers]).toEqual([['x'], entriesOf(['x']).entries]);
  await files.play('a');
  expect(files.map('x')?.from).toBe('a');
  expect(await files.reconcile('b')).toBe('Ready');
  await files.play('a', 'c');
  expect([files.map('x')?.from, files.ready('c')]).toEqual(['b', 'TargetTaken']);
});

test.each<[string, (files: Files) => void]>([
  ['does not list it', (files) => files.edit('a', { status: { inventory: entriesOf(['stays']) } })],
  ['has no inventory', (files) => files.edit('a', { status: {} })],
])('an owner that %s has no object', async (_name, change) => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  change(files);
  await has(files, 'b', [map('x', 'b')]);
  expect(files.map('x')?.from).toBe('b');
});

test('one that is being deleted has its objects until it has left them', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  const before = files.map('x')?.uid;
  files.publish('b', [map('x', 'b')]);
  files.delete('a');
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await files.remove('a');
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
});

test('the children of one Application wait for nobody, and neither deletes what the other one has', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  files.publish('b', [map('x', 'b')]);
  for (const name of ['a', 'b']) files.edit(name, { metadata: { labels: { [APPLICATION_UID_LABEL]: 'app' } } });
  expect(await files.reconcile('b')).toBe('Ready');
  await files.remove('b');
  expect(files.map('x')?.from).toBe('b');
  await files.remove('a');
  expect(files.map('x')).toBeUndefined();
});

test('two that are deleted at the same time leave nothing', async () => {
  for (const order of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const files = new Files();
    await sharing(files);
    for (const name of order) files.delete(name);
    await Promise.all(order.map((name) => files.remove(name)));
    expect([files.map('x'), files.map('of-a'), files.map('of-b')]).toEqual([undefined, undefined, undefined]);
  }
});

test('a suspended owner has its objects, and leaves them when it is deleted', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  const before = files.map('x')?.uid;
  files.publish('a', [map('x', 'a')], { suspend: true });
  files.publish('b', [map('x', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await files.remove('a');
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
});

test('nothing is pruned if nobody can say what others have', async () => {
  const files = new Files();
  await sharing(files);
  files.publish('b', [map('of-b')]);
  files.kube.isMute = true;
  await expect(files.reconcile('b')).rejects.toThrow('no answer');
  expect([files.map('x')?.from, files.inventory('b').sort()]).toEqual(['b', ['of-b', 'x']]);
});

test('those of other namespaces have nothing, and are not named', async () => {
  const files = new Files();
  await has(files, 'a', [map('of-a')]);
  const hidden = { name: 'hidden', namespace: 'other' };
  const { metadata, ...rest } = files.read('a');
  const status = {
    inventory: entriesOf(['x', 'of-a']),
    takenByOthers: entriesOf(['of-a']).entries,
  };
  files.server.restore(kustomizationResource, {
    ...rest,
    status,
    metadata: { ...metadata, ...hidden, uid: 'h' },
  } as KubeObject);
  const object = map('x', 'hidden');
  const labels = { [NAME_LABEL]: 'hidden', [NAMESPACE_LABEL]: 'other' };
  files.server.restore(configMapResource, { ...object, metadata: { ...object.metadata, uid: 'x', labels } });
  await has(files, 'a', [map('x', 'a')]);
  expect([files.map('x')?.from, files.map('of-a')]).toEqual(['a', undefined]);
  expect(JSON.stringify([files.events, files.read('a')])).not.toContain('hidden');
});

test.each(['reconcile: disabled', 'ssa: Ignore', 'ssa: IfNotPresent'])(
  'what another one skips by %s stays with that one',
  async (said) => {
    const files = new Files();
    const [key = '', value = ''] = said.split(': ');
    await has(files, 'a', [map('x', 'a')]);
    await has(files, 'b', [map('x', 'b', { [`kustomize.toolkit.fluxcd.io/${key}`]: value }), map('y')]);
    await files.play('a', 'b');
    await has(files, 'a', [map('z')]);
    expect([files.map('x')?.from, files.inventory('a')]).toEqual(['a', ['z']]);
    await files.remove('b');
    expect(files.map('x')).toBeUndefined();
  },
);
