import { expect, test } from '@jest/globals';
import { inventoryEntry, parseInventoryEntry, staleEntries, subjectOf } from '#engine/member/model/inventory.js';

const rbac = 'rbac.authorization.k8s.io/v1';

test.each([
  [{ apiVersion: 'v1', kind: 'Secret', name: 'a', namespace: 'shop' }, 'shop_a__Secret', 'v1'],
  [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop' }, 'shop_web_apps_Deployment', 'v1'],
  [{ apiVersion: 'v1', kind: 'Namespace', name: 'shop', namespace: undefined }, '_shop__Namespace', 'v1'],
  [
    { apiVersion: rbac, kind: 'ClusterRole', name: 'system:a:b', namespace: undefined },
    '_system__a__b_rbac.authorization.k8s.io_ClusterRole',
    'v1',
  ],
])('the entry of %j is its inverse', (target, id, v) => {
  const { apiVersion, kind, name, namespace } = target;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  expect(inventoryEntry({ apiVersion, kind, metadata })).toEqual({ id, v });
  expect(parseInventoryEntry({ id, v })).toEqual(target);
});

test('what is no id is no target', () => expect(parseInventoryEntry({ id: 'nonsense', v: 'v1' })).toBeUndefined());

test('an object that only changed its version is not stale', () => {
  const old = [
    { id: 'a_b_g_K', v: 'v1' },
    { id: 'a_c_g_K', v: 'v1' },
  ];
  expect(staleEntries(old, [{ id: 'a_b_g_K', v: 'v2' }])).toEqual([{ id: 'a_c_g_K', v: 'v1' }]);
});

test('a subject names the namespace when there is one', () => {
  expect(subjectOf({ apiVersion: 'v1', kind: 'Node', name: 'n' })).toBe('Node/n');
  expect(subjectOf({ apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: 'a' })).toBe('Pod/a/p');
});
