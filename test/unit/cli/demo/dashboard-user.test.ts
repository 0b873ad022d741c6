import { expect, test } from '@jest/globals';
import { userObjects } from '#cli/local/dashboard.js';

const places = (rights: Parameters<typeof userObjects>[0]): string[] =>
  userObjects(rights).map(({ object: { kind, metadata } }) => `${kind} ${metadata.namespace ?? '-'}`);

test('in a sandbox, the user may see all of the cluster', () => {
  expect(places({ namespace: 'shop' })).toEqual(['ServiceAccount shop', 'ClusterRole -', 'ClusterRoleBinding -']);
});

test('on clusters of somebody, the user has rights in the namespaces of the demo only', () => {
  expect(places({ namespace: 'shop', within: ['shop', 'shop-web'] })).toEqual([
    ...['ServiceAccount shop', 'Role shop', 'RoleBinding shop', 'Role shop-web', 'RoleBinding shop-web'],
  ]);
});

test('nothing but what is ours may be changed', () => {
  const roles = userObjects({ namespace: 'shop' }).map(
    ({ object }) => object as { rules?: Record<string, string[]>[] },
  );
  const writable = roles.flatMap(({ rules = [] }) => rules.filter(({ verbs = [] }) => verbs.includes('*')));
  expect(writable).toEqual([{ apiGroups: ['gitops.kubesphere.io'], resources: ['*'], verbs: ['*'] }]);
});
