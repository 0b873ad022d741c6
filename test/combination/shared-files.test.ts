import { expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';
import { CancelledError } from '#lib/errors.js';
import { entriesOf, Files, idOf, map, NAMESPACE_OBJECT } from './world/kustomizations.js';

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
  expect(files.read('b').status?.notOwned).toEqual([{ id: idOf('x'), state: 'Waiting', holder: 'a' }]);
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
  expect(files.inventory('a')).toEqual(['stays', 'x']);
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.read('b').status?.notOwned).toBeUndefined();
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
  expect(await files.reconcile('a')).toBe('Ready');
  expect([files.inventory('a'), files.read('a').status?.notOwned]).toEqual([['stays'], undefined]);
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
  await has(files, 'b', [map('of-b')]);
  expect(files.map('x')?.from).toBe('a');
  await files.play('a');
  expect([files.map('x'), files.inventory('a'), files.inventory('b')]).toEqual([undefined, ['stays'], ['of-b']]);
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

test('of two that each want what the other one has the older goes on', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('y', 'b')]);
  files.publish('a', [map('x', 'a'), map('y', 'a')]);
  files.publish('b', [map('x', 'b'), map('y', 'b')]);
  await files.play('a', 'b', 'b', 'a', 'b');
  expect([files.ready('a'), files.ready('b')]).toEqual(['Ready', 'TargetTaken']);
  expect([files.map('x')?.from, files.map('y')?.from]).toEqual(['a', 'a']);
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
  expect(files.message('b', 'ObjectsShared')).toContain('Namespace/shared with Kustomization a');
  await files.remove('b');
  expect(files.skipped()).toEqual([expect.stringContaining('Kustomization a has it too')]);
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeDefined();
  expect(await files.reconcile('a')).toBe('Ready');
  await files.remove('a');
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeUndefined();
});

test('two that have kept one object so far go on, and neither prunes what the other one lists', async () => {
  const files = new Files();
  await sharing(files);
  expect(files.map('x')?.from).toBe('b');
  expect(files.message('b', 'ObjectsShared')).toContain('ConfigMap/team/x with Kustomization a');
  expect(files.events.filter((event) => event.startsWith('b TargetTaken'))).toHaveLength(1);
  await has(files, 'b', [map('of-b')]);
  await files.play('b');
  expect([files.map('x')?.from, files.skipped().length]).toEqual(['b', 1]);
  expect(await files.reconcile('a')).toBe('Ready');
  await files.play('b');
  expect([files.map('x')?.from, files.inventory('b')]).toEqual(['a', ['of-b']]);
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
  expect(files.inventory(winner === 'b' ? 'c' : 'b')).toEqual([]);
});

test('one that cannot go on leaves what others wait for', async () => {
  const files = new Files();
  await has(files, 'holder', [map('z')]);
  await has(files, 'a', [map('x', 'a')]);
  files.publish('a', [map('z', 'a')]);
  files.publish('b', [map('x', 'b')]);
  await files.play('b', 'a');
  expect([files.ready('b'), files.ready('a')]).toEqual(['TargetTaken', 'TargetTaken']);
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.map('x')?.from).toBe('b');
});

test('what others have is asked of the server before it is pruned', async () => {
  const files = new Files();
  await sharing(files);
  const status = files.read('a').status ?? {};
  files.cached = files.all();
  files.edit('a', { status: { ...status, inventory: entriesOf(['of-a']) } });
  await has(files, 'b', [map('of-b')]);
  expect(files.map('x')).toBeUndefined();
});

test('what another one takes back is not pruned by an old look at it', async () => {
  const files = new Files();
  await sharing(files);
  const status = files.read('a').status ?? {};
  files.edit('a', { status: { ...status, notOwned: [{ id: idOf('x'), state: 'Leaving' }] } });
  files.cached = files.all();
  files.edit('a', { status });
  await has(files, 'b', [map('of-b')]);
  expect(files.map('x')?.from).toBe('b');
});

test('what is taken while its last owner deletes it is not deleted', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  const before = files.map('x')?.uid;
  files.publish('b', [map('x', 'b')]);
  files.delete('a');
  let isFirst = true;
  files.kube.beforeDelete = async () => {
    if (isFirst) {
      isFirst = false;
      await files.reconcile('b');
    }
  };
  await files.remove('a');
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
  expect(await files.reconcile('b')).toBe('Ready');
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
  expect([files.inventory('b'), files.read('b').status?.notOwned]).toEqual([['x'], undefined]);
  await files.play('a');
  expect(files.map('x')?.from).toBe('a');
  expect(await files.reconcile('b')).toBe('Ready');
  await files.play('a', 'c');
  expect([files.map('x')?.from, files.ready('c')]).toEqual(['b', 'TargetTaken']);
});

test.each<[string, (files: Files) => void]>([
  ['does not list it', (files) => files.edit('a', { status: { inventory: entriesOf(['stays']) } })],
  ['has no inventory', (files) => files.edit('a', { status: {} })],
  ['is being deleted', (files) => files.delete('a')],
])('an owner that %s has no object', async (_name, change) => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  change(files);
  await has(files, 'b', [map('x', 'b')]);
  expect(files.map('x')?.from).toBe('b');
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

test('an owner that is not cached is asked for, and one of which nobody can say anything keeps its objects', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  files.publish('b', [map('x', 'b')]);
  files.cached = [files.read('b')];
  expect(await files.reconcile('b')).toBe('TargetTaken');
  files.kube.isMute = true;
  for (const cached of [files.cached, undefined]) {
    files.cached = cached;
    await files.reconcile('b').catch(() => undefined);
    expect([files.map('x')?.from, files.ready('b'), files.inventory('b')]).not.toContain('b');
    expect(files.ready('b')).not.toBe('Ready');
  }
  files.kube.isMute = false;
  expect(await files.reconcile('b')).toBe('TargetTaken');
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
    notOwned: [{ id: idOf('of-a'), state: 'Waiting', holder: 'a' }],
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

test('one that finds out late that an object is taken remembers nothing of it', async () => {
  const files = new Files();
  const kubeConfig = (name: string) => ({ kubeConfig: { secretRef: { name } } });
  await has(files, 'a', [map('x', 'a')], kubeConfig('one'));
  files.publish('b', [map('x', 'b'), map('y', 'b')], kubeConfig('other'));
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect([files.map('x')?.from, files.inventory('b')]).toEqual(['a', ['y']]);
  expect(files.read('b').status?.notOwned).toEqual([{ id: idOf('x'), state: 'Waiting', holder: 'a' }]);
  files.publish('a', [map('z')], kubeConfig('one'));
  await files.play('a', 'b', 'a');
  expect([files.map('x')?.from, files.ready('b'), files.inventory('a')]).toEqual(['b', 'Ready', ['z']]);
});

test.each(['reconcile: disabled', 'ssa: Ignore', 'ssa: IfNotPresent'])(
  'what one skips by %s it does not have',
  async (said) => {
    const files = new Files();
    const [key = '', value = ''] = said.split(': ');
    await has(files, 'a', [map('x', 'a')]);
    await has(files, 'b', [map('x', 'b', { [`kustomize.toolkit.fluxcd.io/${key}`]: value }), map('y')]);
    expect(files.inventory('b')).toContain('x');
    await files.play('a');
    expect([files.message('a', 'ObjectsShared'), files.message('b', 'ObjectsShared')]).toEqual(['', '']);
    await files.play('b');
    await has(files, 'a', [map('z')]);
    expect([files.map('x'), files.inventory('a'), files.skipped()]).toEqual([undefined, ['z'], []]);
  },
);

test('what an earlier version listed and skipped is not shared', async () => {
  const files = new Files();
  const skipping = [map('x', 'b', { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' }), map('of-b')];
  await has(files, 'a', [map('x', 'a'), map('of-a')]);
  await has(files, 'b', skipping);
  files.edit('b', { status: { ...files.read('b').status, notOwned: [] } });
  await files.play('a', 'b', 'a');
  expect([files.message('a', 'ObjectsShared'), files.message('b', 'ObjectsShared')]).toEqual(['', '']);
  expect(files.read('b').status?.notOwned).toEqual([{ id: idOf('x'), state: 'Skipped' }]);
  await has(files, 'a', [map('of-a')]);
  expect(files.map('x')).toBeUndefined();
});

test('what one created and skips since is its own', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a', { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' }), map('of-a')]);
  await files.play('a', 'a');
  expect(files.read('a').status?.notOwned).toBeUndefined();
  files.publish('b', [map('x', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
});

test('one that stops skipping an object waits for it', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  await has(files, 'b', [map('x', 'b', { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' }), map('y')]);
  files.publish('b', [map('x', 'b'), map('y')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(files.map('x')?.from).toBe('a');
  await files.remove('b');
  expect([files.map('x')?.from, files.map('y')]).toEqual(['a', undefined]);
});
