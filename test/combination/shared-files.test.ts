import { expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { type Kustomization, kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { KubeObject, ObjectRef, ResourceType, Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { act } from '#controllers/kustomization/act.js';
import { finalize } from '#controllers/kustomization/finalize.js';
import { conclude } from '#controllers/kustomization/model/conclude.js';
import { decide } from '#controllers/kustomization/model/decide.js';
import type { SyncPass } from '#controllers/kustomization/prepare.js';
import type { Member } from '#engine/member/member.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
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
  override async apply<T extends KubeObject>(
    type: ResourceType,
    object: T,
    options: Parameters<Kube['apply']>[2],
  ): Promise<T> {
    const live = await this.get(type, object.metadata);
    const { resourceVersion, ...metadata } = object.metadata;
    const isCreated = live === undefined && resourceVersion !== undefined;
    return super.apply(type, isCreated ? { ...object, metadata } : object, options);
  }
}

function map(name: string, from = ''): Unstructured {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data: { from } };
}

const NAMESPACE_OBJECT: Unstructured = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } };

/** Kustomizations of one cluster, whose passes are those of the engine. */
class Files {
  readonly server = new MemoryServer(() => 0);
  readonly kube = new Creating(this.server, 'engine');
  readonly #revisions = new Map<string, { readonly objects: readonly Unstructured[]; readonly revision: string }>();
  readonly events: string[] = [];
  #count = 0;

  constructor() {
    const asking = { actor: 'user', manager: 'user' };
    this.server.create(
      namespaceResource,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
      asking,
    );
  }

  publish(name: string, objects: readonly Unstructured[]): void {
    this.#count += 1;
    this.#revisions.set(name, { objects, revision: `r${this.#count}` });
    if (this.server.get(kustomizationResource, ref(name)) !== undefined) return;
    const spec = { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name } };
    const object = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata: ref(name), spec };
    const metadata = { ...object.metadata, uid: name, generation: 1, finalizers: ['finalizers.fluxcd.io'] };
    this.server.restore(kustomizationResource, { ...object, metadata });
  }

  read(name: string): Kustomization {
    return this.server.get(kustomizationResource, ref(name)) as Kustomization;
  }

  ready(name: string): string {
    const ready = getCondition(this.read(name).status?.conditions, 'Ready');
    return ready?.status === 'True' ? 'Ready' : (ready?.reason ?? '');
  }

  inventory(name: string): string[] {
    return (this.read(name).status?.inventory?.entries ?? []).map(({ id }) => id.split('_')[1] ?? '');
  }

  map(name: string): { readonly uid: string | undefined; readonly from: unknown } | undefined {
    const live = this.server.get(configMapResource, ref(name)) as
      (Unstructured & { data?: { from?: unknown } }) | undefined;
    return live && { uid: live.metadata.uid, from: live.data?.from };
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
      kustomizations: { list: () => this.server.list(kustomizationResource) },
      events: { record: (_object: unknown, _type: string, reason: string) => this.events.push(`${name} ${reason}`) },
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

  async reconcile(name: string): Promise<string> {
    const pass = this.#pass(name);
    const { objects = [] } = this.#revisions.get(name) ?? {};
    const scopes = new Map([
      ['v1 ConfigMap', true],
      ['v1 Namespace', false],
    ]);
    const plan = decide({
      ...{ kustomization: pass.kustomization, artifact: pass.artifact, isWatched: true },
      manifests: {
        kind: 'manifests',
        objects,
        digest: pass.artifact.revision,
        template: '',
        secrets: [],
        saysEmpty: true,
        scopes,
      },
    });
    const acted = await act(plan, pass);
    const { status, events } = conclude(plan, acted, { status: pass.status.current, moment: NOW, durationMs: 1 });
    this.events.push(...events.map(({ reason }) => `${name} ${reason}`));
    await this.#write(name, status);
    return this.ready(name);
  }

  async remove(name: string): Promise<void> {
    this.server.delete(kustomizationResource, ref(name), {}, { actor: 'user', manager: 'user' });
    await finalize(this.#pass(name));
  }
}

function ref(name: string): ObjectRef & { namespace: string } {
  return { name, namespace: NAMESPACE };
}

/** A Kustomization that is Ready with these objects. */
async function has(files: Files, name: string, objects: readonly Unstructured[]): Promise<void> {
  files.publish(name, objects);
  expect(await files.reconcile(name)).toBe('Ready');
}

test('nothing of a refused attempt is applied or pruned, and it stays refused', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('old')]);
  files.publish('b', [map('new'), map('x', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(await files.reconcile('b')).toBe('TargetTaken');
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
  expect(files.events).toContain('a PruneSkipped');
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.read('b').status?.waitingFor).toBeUndefined();
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
  files.publish('c', [map('x', 'c')]);
  expect(await files.reconcile('c')).toBe('TargetTaken');
  await files.remove('b');
  expect(await files.reconcile('c')).toBe('Ready');
  expect(files.map('x')).toEqual({ uid: before, from: 'c' });
  await files.remove('c');
  expect(files.map('x')).toBeUndefined();
});

test.each(['a', 'b'])('two that swap objects both get them, %s first', async (first) => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('y', 'b')]);
  const before = [files.map('x')?.uid, files.map('y')?.uid];
  files.publish('a', [map('y', 'a')]);
  files.publish('b', [map('x', 'b')]);
  const order = first === 'a' ? ['a', 'b'] : ['b', 'a'];
  for (const name of [...order, ...order]) await files.reconcile(name);
  expect([files.ready('a'), files.ready('b')]).toEqual(['Ready', 'Ready']);
  expect([files.map('x'), files.map('y')]).toEqual([
    { uid: before[0], from: 'b' },
    { uid: before[1], from: 'a' },
  ]);
});

test('a Namespace of two sources stays while one of them lists it, and both go on', async () => {
  const files = new Files();
  await has(files, 'a', [NAMESPACE_OBJECT, map('x')]);
  await has(files, 'b', [NAMESPACE_OBJECT, map('y')]);
  expect(getCondition(files.read('b').status?.conditions, 'ObjectsShared')?.message).toContain(
    'Namespace/shared with Kustomization a',
  );
  await files.remove('b');
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeDefined();
  expect(await files.reconcile('a')).toBe('Ready');
  await files.remove('a');
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeUndefined();
});

test('two that have kept one object so far go on, and neither prunes what the other one lists', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('y')]);
  const entries = ['y', 'x'].map((name) => ({ id: `${NAMESPACE}_${name}__ConfigMap`, v: 'v1' }));
  const before = files.read('b');
  const status = { ...before.status, inventory: { entries } };
  files.server.restore(kustomizationResource, { ...before, status } as KubeObject);
  await has(files, 'b', [map('x', 'b'), map('y')]);
  expect(files.map('x')?.from).toBe('b');
  await has(files, 'b', [map('y')]);
  expect(files.map('x')?.from).toBe('b');
  expect(await files.reconcile('a')).toBe('Ready');
  expect(files.map('x')?.from).toBe('a');
});

test('an owner without a status, as after a restore, keeps its object; one that is gone does not', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  const { status, ...restored } = files.read('a');
  expect(status?.inventory?.entries).toHaveLength(1);
  files.server.restore(kustomizationResource, restored);
  files.publish('b', [map('x', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(await files.reconcile('a')).toBe('Ready');
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await files.remove('a');
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.map('x')?.from).toBe('b');
});

test("children of one Application take each other's objects", async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  files.publish('b', [map('x', 'b')]);
  for (const name of ['a', 'b']) {
    const labels = { [APPLICATION_UID_LABEL]: 'app' };
    const { metadata, ...rest } = files.read(name);
    files.server.restore(kustomizationResource, { ...rest, metadata: { ...metadata, labels } });
  }
  expect(await files.reconcile('b')).toBe('Ready');
  await files.remove('a');
  expect(files.map('x')?.from).toBe('b');
});

test('an object that is left to another one by its annotation is not a conflict', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  const annotations = { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' };
  const object = map('x', 'b');
  await has(files, 'b', [{ ...object, metadata: { ...object.metadata, annotations } }, map('y')]);
  await files.remove('b');
  expect([files.map('x')?.from, files.map('y')]).toEqual(['a', undefined]);
});
