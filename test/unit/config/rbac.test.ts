import { describe, expect, test } from '@jest/globals';
import { rbacOf } from '../../../config/rbac.js';

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
    expect([...files.keys()]).toEqual(['service-account.yaml', 'runtime.yaml', 'web.yaml', 'engine.yaml']);
    expect(files.get('engine.yaml')).toMatchObject([{ roleRef: { name: 'cluster-admin' } }]);
  });

  test('labels everything as part of Fairlead', () => {
    const labels = [...files.values()].flat().map(({ metadata }) => metadata.labels);
    expect(labels.every((each) => each?.['app.kubernetes.io/part-of'] === 'fairlead')).toBe(true);
  });
});
