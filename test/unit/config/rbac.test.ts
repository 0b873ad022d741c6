import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { consoleRbacOf, rbacOf } from '#config/rbac.js';

interface Role extends KubeObject {
  rules: { resources: string[]; resourceNames?: string[]; verbs: string[] }[];
}

describe('rbacOf', () => {
  const files = rbacOf({ web: [{ group: 'apps', resources: ['deployments'], verbs: ['get', 'list'] }] });

  test('gives each controller a role of its own, bound to the account of the controller', () => {
    const [role, binding] = files.get('web.yaml') ?? [];
    expect(role).toMatchObject({
      kind: 'ClusterRole',
      metadata: { name: 'fairlead-web' },
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }],
    });
    expect(binding).toMatchObject({
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', name: 'fairlead-web' },
      subjects: [{ kind: 'ServiceAccount', name: 'fairlead-controller', namespace: 'fairlead-system' }],
    });
  });

  test('adds what the runtime and the engine need', () => {
    const added = ['service-account', 'leader-election', 'runtime', 'flux-guard', 'web', 'engine'];
    expect([...files.keys()]).toEqual(added.map((name) => `${name}.yaml`));
    expect(files.get('engine.yaml')).toMatchObject([{ roleRef: { name: 'cluster-admin' } }]);
  });

  test('lets leases be changed in the own namespace only, and elsewhere those of Flux by name', () => {
    const rules = [...files.values()].flat().flatMap((object) => ('rules' in object ? [object] : [])) as Role[];
    const onLeases = rules.flatMap(({ kind, metadata, rules: each }) =>
      each
        .filter(({ resources, verbs }) => resources.includes('leases') && verbs.includes('update'))
        .map(({ resourceNames }) => [kind, metadata.namespace, resourceNames?.length]),
    );
    expect(onLeases).toEqual([
      ['Role', 'fairlead-system', undefined],
      ['ClusterRole', undefined, 3],
    ]);
  });

  test('marks what only the embedded engine needs', () => {
    const marked = [...files].filter(([, objects]) =>
      objects.every(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'embedded-engine'),
    );
    expect(marked.map(([name]) => name)).toEqual(['flux-guard.yaml', 'engine.yaml']);
  });

  test('labels everything as part of Fairlead', () => {
    const labels = [...files.values()].flat().map(({ metadata }) => metadata.labels);
    expect(labels.every((each) => each?.['app.kubernetes.io/part-of'] === 'fairlead')).toBe(true);
  });
});

describe('consoleRbacOf', () => {
  test('binds the rights of the console server to an account of its own', () => {
    const files = consoleRbacOf([{ group: '', resources: ['users'], verbs: ['impersonate'] }]);
    const account = { name: 'fairlead-console', namespace: 'fairlead-system' };
    expect(files.get('service-account.yaml')).toMatchObject([{ kind: 'ServiceAccount', metadata: account }]);
    expect(files.get('role.yaml')).toMatchObject([
      { kind: 'ClusterRole', rules: [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }] },
      {
        kind: 'ClusterRoleBinding',
        roleRef: { kind: 'ClusterRole', name: 'fairlead-console' },
        subjects: [{ kind: 'ServiceAccount', ...account }],
      },
    ]);
  });
});
