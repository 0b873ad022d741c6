import { afterAll, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import { ExactRights } from '../../support/exact-rights.js';
import { eventually, useWorld } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const ROLE_BINDINGS: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'RoleBinding', plural: 'rolebindings' },
};

let rights: ExactRights | undefined;
afterAll(() => rights?.revoke());
const harness = useHarness('hr-tenant', {
  charts: { plain: PLAIN },
  defaultServiceAccount: 'default',
  identity: asTenantController,
});

/** The host with the very rights of config/tenant. */
async function asTenantController(host: Kube, namespace: string): Promise<Kube> {
  const { tools } = await useWorld();
  const built = loadAll(await runCommand(tools.kustomize, ['build', 'config/tenant'])) as KubeObject[];
  rights = new ExactRights(host);
  return rights.clientOf(namespace, built);
}

test('with the rights of config/tenant a release can do what its account may, and nothing before that', async () => {
  const { host, namespace } = harness;
  await harness.apply('guest', { kubeConfig: undefined });
  await harness.until('guest', (release) => {
    const message = expect.stringContaining(`User "system:serviceaccount:${namespace}:default" cannot list`);
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'Forbidden', message });
  });
  expect(await host.get(configMapResource, { name: 'guest', namespace })).toBeUndefined();
  const binding = {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'guest', namespace } },
    roleRef: { apiGroup: ROLE_BINDINGS.group, kind: 'ClusterRole', name: 'admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
  };
  await host.create(ROLE_BINDINGS, binding);
  await harness.untilReady('guest');
  await host.delete(helmReleaseResource, { name: 'guest', namespace });
  await eventually(async () => {
    expect(await host.get(helmReleaseResource, { name: 'guest', namespace })).toBeUndefined();
  });
  expect(await host.get(configMapResource, { name: 'guest', namespace })).toBeUndefined();
});
