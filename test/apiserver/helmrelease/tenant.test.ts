import { afterAll, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { configMapResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import { eventually, useWorld } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const TYPES: Readonly<Record<string, ResourceType>> = {
  ClusterRole: { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false },
  ClusterRoleBinding: { ...RBAC, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', namespaced: false },
  RoleBinding: { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true },
};
const ACCOUNT = 'fairlead-controller';

/** An object of config/tenant, under a name of the test's own and for an account in its namespace. */
interface Rights extends KubeObject {
  roleRef?: { name: string };
  subjects?: object[];
}

interface TokenRequest extends KubeObject {
  spec: object;
  status?: { token: string };
}

afterAll(async () => {
  for (const object of granted) await harness.host.delete(TYPES[object.kind]!, object.metadata);
});
const harness = useHarness('hr-tenant', {
  charts: { plain: PLAIN },
  defaultServiceAccount: 'default',
  identity: asTenantController,
});
let granted: Rights[] = [];

async function rightsOf(namespace: string): Promise<Rights[]> {
  const { tools } = await useWorld();
  const built = loadAll(await runCommand(tools.kustomize, ['build', 'config/tenant'])) as Rights[];
  const own = (name: string): string => `${name}-${namespace}`;
  return built
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'ClusterRoleBinding')
    .map(({ roleRef, ...object }) => ({
      ...object,
      metadata: { name: own(object.metadata.name) },
      ...(roleRef && {
        roleRef: { ...roleRef, name: own(roleRef.name) },
        subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
      }),
    }));
}

/** The host with the very rights of config/tenant. */
async function asTenantController(host: Kube, namespace: string): Promise<Kube> {
  const metadata = { name: ACCOUNT, namespace };
  await host.create(serviceAccountResource, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  granted = await rightsOf(namespace);
  for (const object of granted) await host.create(TYPES[object.kind]!, object);
  const tokens = { ...serviceAccountResource, kind: 'TokenRequest', plural: `serviceaccounts/${ACCOUNT}/token` };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
  const { status } = await host.create<TokenRequest>(tokens, request);
  const { cluster } = await readContext({ path: (await useWorld()).host.kubeconfig });
  const ca = Buffer.from(cluster?.caData ?? '', 'base64').toString('utf8');
  return kubeFromConfig({ server: host.server, ca, token: status?.token ?? '' });
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
    roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name: 'admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
  };
  await host.create(TYPES['RoleBinding']!, binding);
  await harness.untilReady('guest');
  await host.delete(helmReleaseResource, { name: 'guest', namespace });
  await eventually(async () => {
    expect(await host.get(helmReleaseResource, { name: 'guest', namespace })).toBeUndefined();
  });
  expect(await host.get(configMapResource, { name: 'guest', namespace })).toBeUndefined();
});
