import { expect, test } from '@jest/globals';
import omit from 'lodash/omit.js';
import { configMapResource, namespaceResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { entriesOf, Files, map, NAMESPACE, NAMESPACE_OBJECT } from './world/kustomizations.js';

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
  expect(files.read('b').status?.claims).toEqual(entriesOf(['new', 'x']).entries);
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
  expect(files.skipped()).toEqual([
    expect.stringContaining('ConfigMap/team/x is left in place: Kustomization b waits for it'),
  ]);
  expect(files.inventory('a')).toEqual(['stays']);
  expect(await files.reconcile('b')).toBe('Ready');
  expect(files.read('b').status?.claims).toBeUndefined();
  expect(files.map('x')).toEqual({ uid: before, from: 'b' });
  files.publish('c', [map('x', 'c')]);
  expect(await files.reconcile('c')).toBe('TargetTaken');
  await files.remove('b');
  expect(await files.reconcile('c')).toBe('Ready');
  expect(files.map('x')).toEqual({ uid: before, from: 'c' });
  await files.remove('c');
  expect(files.map('x')).toBeUndefined();
});

test('what is left to one that never had it is not deleted, whatever becomes of that one', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('y', 'a')]);
  files.publish('b', [map('x', 'b'), map('y', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await has(files, 'a', [map('y', 'a')]);
  await files.remove('b');
  expect([files.map('x')?.from, files.map('y')?.from]).toEqual(['a', 'a']);
});

test('what is claimed no longer is pruned', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('y', 'a'), map('stays')]);
  files.publish('b', [map('x', 'b'), map('y', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  files.publish('b', [map('y', 'b')]);
  files.publish('a', [map('y', 'a'), map('stays')]);
  await Promise.all([files.reconcile('a'), files.reconcile('b')]);
  expect([files.map('x'), files.map('y')?.from]).toEqual([undefined, 'a']);
});

test('all that one waits with stays, and not only what it waits for', async () => {
  const files = new Files();
  const spare = map('spare', 'b', { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' });
  await has(files, 'a', [NAMESPACE_OBJECT, map('x', 'a'), map('spare', 'a')]);
  files.publish('b', [NAMESPACE_OBJECT, map('x', 'b'), map('late', 'b'), spare]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  await has(files, 'a', [NAMESPACE_OBJECT, map('x', 'a'), map('spare', 'a'), map('late', 'a')]);
  await files.remove('a');
  expect([files.map('x')?.from, files.map('spare')?.from, files.map('late')?.from]).toEqual(['a', 'a', 'a']);
  expect(files.server.get(namespaceResource, { name: 'shared' })).toBeDefined();
  expect(await files.reconcile('b')).toBe('Ready');
  expect([files.map('x')?.from, files.map('spare')?.from, files.map('late')?.from]).toEqual(['b', 'a', 'b']);
});

test('what one waits for does not go with its Namespace', async () => {
  const inside = { ...map('x', 'a'), metadata: { name: 'x', namespace: 'shared' } };
  for (const drops of [true, false]) {
    const files = new Files();
    await has(files, 'a', [NAMESPACE_OBJECT, inside, map('of-a')]);
    files.publish('b', [inside]);
    expect(await files.reconcile('b')).toBe('TargetTaken');
    if (drops) await has(files, 'a', [map('of-a')]);
    else await files.remove('a');
    expect(files.server.get(namespaceResource, { name: 'shared' })).toBeDefined();
    expect(files.skipped().join(' ')).toContain(
      'Namespace/shared is left in place: Kustomization b has or wants what would go with it',
    );
  }
});

test('what one waits for is not its own after an interruption', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  files.publish('b', [NAMESPACE_OBJECT, map('x', 'b'), map('new', 'b')]);
  files.kube.beforeApply = (name) => {
    if (name === 'shared') throw new CancelledError();
  };
  await expect(files.reconcile('b')).rejects.toThrow(CancelledError);
  files.kube.beforeApply = () => undefined;
  expect(files.inventory('b')).not.toContain('x');
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(files.map('x')?.from).toBe('a');
});

test('one that takes over what a Kustomization among its objects has does not wait for that', async () => {
  const files = new Files();
  await has(files, 'root', [map('of-root')]);
  await has(files, 'child', [map('x', 'child')]);
  const labels = { [NAME_LABEL]: 'root', [NAMESPACE_LABEL]: NAMESPACE };
  files.edit('child', { metadata: { labels } });
  await has(files, 'root', [map('of-root'), map('x', 'root')]);
  await files.remove('child');
  expect(files.map('x')?.from).toBe('root');
});

test('one that lost its status has its objects, and no other one takes them', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a')]);
  files.publish('b', [map('x', 'b')]);
  await files.play('b');
  for (const name of ['a', 'b']) files.edit(name, { status: {} });
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect(await files.reconcile('a')).toBe('Ready');
  await files.play('b');
  expect([files.map('x')?.from, files.ready('b')]).toEqual(['a', 'TargetTaken']);
});

test('of two that come at the same time one has the object', async () => {
  const files = new Files();
  for (const name of ['a', 'b']) files.publish(name, [map('x', name)]);
  await Promise.all([files.reconcile('a'), files.reconcile('b')]);
  await files.play('a', 'b');
  expect([files.ready('a'), files.ready('b')].sort()).toEqual(['Ready', 'TargetTaken']);
});

test('one that shares an object gets it before one that waits for it', async () => {
  const files = new Files();
  await sharing(files);
  files.publish('0', [map('x', '0')]);
  expect(await files.reconcile('0')).toBe('TargetTaken');
  await has(files, 'b', [map('of-b')]);
  expect([await files.reconcile('0'), await files.reconcile('a')]).toEqual(['TargetTaken', 'Ready']);
  expect(files.map('x')?.from).toBe('a');
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
  expect([files.inventory('b'), files.read('b').status?.claims]).toEqual([['x'], undefined]);
  await files.play('a');
  expect(files.map('x')?.from).toBe('a');
  expect(await files.reconcile('b')).toBe('Ready');
  await files.play('a', 'c');
  expect([files.map('x')?.from, files.ready('c')]).toEqual(['b', 'TargetTaken']);
});

test('an owner that does not list it has no object', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('stays')]);
  files.edit('a', { status: { ...files.read('a').status, inventory: entriesOf(['stays']) } });
  await has(files, 'b', [map('x', 'b')]);
  expect(files.map('x')?.from).toBe('b');
});

test('one that was restored without a status has its objects, also after a pass that failed', async () => {
  const files = new Files();
  await has(files, 'a', [map('x', 'a'), map('y', 'a')]);
  files.edit('a', { status: {} });
  files.kube.beforeApply = (name) => {
    if (name === 'y') throw new TransientError('failed calling webhook');
  };
  files.publish('a', [map('x', 'a2'), map('y', 'a2')]);
  expect(await files.reconcile('a')).toBe('ReconciliationFailed');
  files.kube.beforeApply = () => undefined;
  files.publish('b', [map('x', 'b'), map('y', 'b')]);
  expect(await files.reconcile('b')).toBe('TargetTaken');
  expect([files.map('x')?.from, files.map('y')?.from]).not.toContain('b');
  expect(await files.reconcile('a')).toBe('Ready');
});

/** A server that answers each patch of x like this. */
function answering(files: Files, code: number, reason: string): void {
  files.kube.beforePatch = (name) => {
    if (name === 'x') throw new TransientError(reason, { status: { code, reason, causes: [] } });
  };
}

test.each([
  [500, 'InternalError'],
  [429, 'TooManyRequests'],
])('one that is deleted tries again to pass a label on if the server answers %i', async (code, reason) => {
  const files = new Files();
  await sharing(files);
  answering(files, code, reason);
  const message = `x: it stays, as Kustomization a has it too, and cannot get its label: ${reason}`;
  await expect(files.remove('b')).rejects.toThrow(message);
  expect(files.message('b')).toContain(message);
  files.kube.beforePatch = () => undefined;
  await files.remove('b');
  expect([files.ownerOf('x'), files.map('of-b')]).toEqual(['a', undefined]);
});

test.each([
  [403, 'Forbidden'],
  [422, 'Invalid'],
  [400, 'admission webhook denied the request'],
])('one that is deleted does not wait for a label that is refused with %i', async (code, reason) => {
  const files = new Files();
  await sharing(files);
  answering(files, code, reason);
  await files.remove('b');
  expect([files.ownerOf('x'), files.map('of-b')]).toEqual(['b', undefined]);
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

test('those of other namespaces have nothing, and are not named', async () => {
  const files = new Files();
  await has(files, 'a', [map('of-a')]);
  const hidden = { name: 'hidden', namespace: 'other' };
  const { metadata, ...rest } = files.read('a');
  const status = {
    inventory: entriesOf(['x', 'of-a']),
    claims: entriesOf(['of-a']).entries,
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
  },
);

/** Two, of which one had x on another cluster before, and the other one has it on this one. */
async function movedToCluster(files: Files): Promise<void> {
  const kubeConfig = { secretRef: { name: 'elsewhere' } };
  await has(files, 'a', [map('x', 'a'), map('of-a')], { kubeConfig });
  await has(files, 'b', [map('x', 'b')]);
  files.publish('a', [map('x', 'a'), map('of-a')]);
}

test('what one had on another cluster is new to it on this one, until it has applied it', async () => {
  const files = new Files();
  await movedToCluster(files);
  for (let pass = 0; pass < 2; pass += 1) {
    expect(await files.reconcile('a')).toBe('TargetTaken');
    expect([files.ownerOf('x'), files.read('a').status?.claims]).toEqual(['b', entriesOf(['x', 'of-a']).entries]);
  }
  await has(files, 'b', [map('of-b')]);
  expect(await files.reconcile('a')).toBe('Ready');
  expect(files.ownerOf('x')).toBe('a');
  // Both have had it by now.
  files.edit('b', { status: { ...files.read('b').status, inventory: entriesOf(['x', 'of-b']) } });
  await has(files, 'b', [map('x', 'b'), map('of-b')]);
  expect(await files.reconcile('a')).toBe('Ready');
});

test('a status of an earlier version counts for any cluster, and is not written for that', async () => {
  const files = new Files();
  await movedToCluster(files);
  expect(files.read('a').status?.clusters).toEqual(['["team","elsewhere","value"]']);
  files.edit('a', { status: omit(files.read('a').status, 'clusters') });
  expect(await files.reconcile('a')).toBe('Ready');
  expect(files.read('a').status?.clusters).toEqual(['host']);
  const settled = omit(files.read('a').status, 'clusters');
  files.edit('a', { status: settled });
  expect(await files.reconcile('a')).toBe('Ready');
  expect(files.read('a').status).toEqual(settled);
});
