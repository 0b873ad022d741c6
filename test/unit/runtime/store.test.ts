import { describe, expect, it } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { Store } from '#runtime/cache/store.js';

function object(name: string, uid: string, resourceVersion: string, label = 'x'): KubeObject {
  const metadata = { name, namespace: 'ns', uid, resourceVersion, labels: { group: label } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function recorded(): { store: Store<KubeObject>; seen: string[]; errors: unknown[] } {
  const [seen, errors]: [string[], unknown[]] = [[], []];
  const store = new Store<KubeObject>(configMapResource, (error) => errors.push(error));
  store.onChange((change) =>
    seen.push(`${change.type} ${change.object.metadata.name}/${change.object.metadata.uid ?? ''}`),
  );
  return { store, seen, errors };
}

describe('Store', () => {
  it('notifies of added, updated and deleted, and not without a change', () => {
    const { store, seen } = recorded();
    store.put(object('a', '1', '1'));
    store.put(object('a', '1', '1'));
    store.put(object('a', '1', '2'));
    store.remove(object('a', '1', '3'));
    store.remove(object('a', '1', '3'));
    expect(seen).toEqual(['added a/1', 'updated a/1', 'deleted a/1']);
  });

  it('notifies of a delete and an add when a name came back with another UID', () => {
    const { store, seen } = recorded();
    store.put(object('a', '1', '1'));
    store.put(object('a', '2', '2'));
    expect(seen).toEqual(['added a/1', 'deleted a/1', 'added a/2']);
  });

  it('drops what a full list no longer has', () => {
    const { store, seen } = recorded();
    store.replace([object('a', '1', '1'), object('b', '2', '2')]);
    store.replace([object('b', '2', '2'), object('c', '3', '3')]);
    expect(seen).toEqual(['added a/1', 'added b/2', 'deleted a/1', 'added c/3']);
    expect(store.list('ns').map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
    expect(store.list('other')).toEqual([]);
  });

  it('keeps indexes up to date', () => {
    const { store } = recorded();
    store.put(object('early', '0', '1', 'x'));
    store.addIndex('group', ({ metadata }) => [metadata.labels?.['group'] ?? '']);
    store.put(object('a', '1', '1', 'x'));
    store.put(object('a', '1', '2', 'y'));
    const names = (value: string): string[] => store.byIndex('group', value).map(({ metadata }) => metadata.name);
    expect([names('x'), names('y')]).toEqual([['early'], ['a']]);
    expect([store.countByIndex('group', 'x'), store.countByIndex('group', 'none')]).toEqual([1, 0]);
    store.remove(object('a', '1', '2', 'y'));
    expect(names('y')).toEqual([]);
    expect(store.countByIndex('group', 'y')).toBe(0);
    expect(() => store.byIndex('colour', 'x')).toThrow('ConfigMap has no index "colour"');
    expect(() => store.countByIndex('colour', 'x')).toThrow('ConfigMap has no index "colour"');
  });

  it('survives a handler that throws, and lets the next one hear', () => {
    const { store, seen, errors } = recorded();
    store.onChange(() => {
      throw new Error('bad handler');
    });
    store.onChange(({ object: { metadata } }) => seen.push(`late ${metadata.name}`));
    store.put(object('a', '1', '1'));
    expect(seen).toEqual(['added a/1', 'late a']);
    expect(errors).toHaveLength(1);
  });

  it('does not index an object whose index function throws, and notifies of it', () => {
    const { store, seen, errors } = recorded();
    store.addIndex('group', ({ metadata }) => {
      if (metadata.name === 'odd') throw new TypeError('no group');
      return [metadata.labels?.['group'] ?? ''];
    });
    store.addIndex('name', ({ metadata }) => [metadata.name]);
    store.replace([object('odd', '1', '1'), object('b', '2', '2')]);
    store.put(object('odd', '1', '3'));
    expect(seen).toEqual(['added odd/1', 'added b/2', 'updated odd/1']);
    expect(store.byIndex('group', 'x').map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(store.byIndex('name', 'odd')).toHaveLength(1);
    expect(errors).toHaveLength(2);
    store.addIndex('late', () => {
      throw new TypeError('never');
    });
    expect(store.byIndex('late', 'x')).toEqual([]);
  });

  it('reads an object without the spec that its type has as one with an empty spec', () => {
    const store = new Store<KubeObject>(helmReleaseResource, () => undefined);
    const told: unknown[] = [];
    store.onChange((change) => told.push([change.type, (change.object as { spec?: unknown }).spec]));
    store.put(object('a', '1', '1'));
    store.remove(object('a', '1', '2'));
    expect(told).toEqual([
      ['added', {}],
      ['deleted', {}],
    ]);
  });

  describe('that takes the answers to writes', () => {
    it('has them before the watch event, and notifies once', () => {
      const { store, seen } = recorded();
      store.put(object('a', '1', '5'));
      store.recordWrite(object('a', '1', '7'));
      expect(store.get({ namespace: 'ns', name: 'a' })?.metadata.resourceVersion).toBe('7');
      store.put(object('a', '1', '7'));
      expect(seen).toEqual(['added a/1', 'updated a/1']);
    });

    it('is not set back by what the watch brings late', () => {
      const { store, seen } = recorded();
      store.recordWrite(object('a', '1', '7'));
      store.put(object('b', '2', '5'));
      store.recordWrite(object('a', '1', '7'));
      store.put(object('a', '1', '6'));
      expect(store.get({ namespace: 'ns', name: 'a' })?.metadata.resourceVersion).toBe('7');
      expect(seen).toEqual(['added b/2', 'added a/1']);
    });

    it('does not restore a deleted object: writes older than the last watch event are ignored', () => {
      const { store } = recorded();
      store.put(object('a', '1', '5'));
      store.remove(object('a', '1', '9'));
      store.recordWrite(object('a', '1', '7'));
      expect(store.get({ namespace: 'ns', name: 'a' })).toBeUndefined();
    });

    it('keeps a recreated object when the deletion of the old one arrives late', () => {
      const { store, seen } = recorded();
      store.put(object('a', '1', '5'));
      store.recordWrite(object('a', '2', '8'));
      store.remove(object('a', '1', '7'));
      expect(store.get({ namespace: 'ns', name: 'a' })?.metadata.uid).toBe('2');
      expect(seen).toEqual(['added a/1', 'deleted a/1', 'added a/2']);
    });

    it('believes a full list whatever its versions: the server may have been restored', () => {
      const { store } = recorded();
      store.put(object('a', '1', '900'));
      store.replace([object('a', '1', '12')]);
      expect(store.get({ namespace: 'ns', name: 'a' })?.metadata.resourceVersion).toBe('12');
    });

    it('drops the managed fields', () => {
      const { store } = recorded();
      store.put(object('b', '2', '5'));
      const written = object('a', '1', '7');
      store.recordWrite({ ...written, metadata: { ...written.metadata, managedFields: [{}] } });
      expect(store.get({ namespace: 'ns', name: 'a' })?.metadata).not.toHaveProperty('managedFields');
    });
  });
});
