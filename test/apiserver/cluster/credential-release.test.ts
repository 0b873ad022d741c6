import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { configMapResource, secretResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { CLUSTER_LABEL, CREDENTIAL_RENEWAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { PLAIN } from '#test/apiserver/flux/helmrelease/charts.js';
import { conditionOf, useHarness } from '#test/apiserver/flux/helmrelease/harness.js';
import { runControllers, type RunningControllers } from '#test/support/harness.js';
import { eventually, freshNamespace } from '#test/support/world.js';

interface Secret extends KubeObject {
  readonly data?: Record<string, string>;
}

const BINDINGS: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'RoleBinding', plural: 'rolebindings' },
};

// Before the client is closed.
afterAll(async () => {
  await harness.host.delete(clusterGrantResource, { name: harness.namespace });
  await running.stop();
}, 120_000);

/** The embedded engine on a member that only the tokens of a ServiceAccount reach. */
const harness = useHarness('granted', { charts: { plain: PLAIN } });
let running: RunningControllers;
let fleet: string;
let secretName: string;

const account = (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'deployer', namespace: harness.namespace },
});

/** May do everything in the namespace of the release. */
async function createAccount(): Promise<void> {
  await harness.member.create(serviceAccountResource, account());
  const { name, namespace } = account().metadata;
  await harness.member.create(BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace },
    ...{ roleRef: { apiGroup: BINDINGS.group, kind: 'ClusterRole', name: 'admin' } },
    ...{ subjects: [{ kind: 'ServiceAccount', name, namespace }] },
  });
}

async function grant(): Promise<void> {
  const { namespace } = harness;
  await harness.host.create<ClusterGrant>(clusterGrantResource, {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'ClusterGrant',
    metadata: { name: namespace },
    spec: {
      clusters: { names: [{ kind: 'Secret', name: 'eu', namespace: fleet }] },
      namespaces: { names: [namespace] },
      targetNamespaces: ['*'],
      serviceAccount: { name: 'deployer', namespace },
    },
  });
}

async function kubeconfig(): Promise<string | undefined> {
  const secret = await harness.host.get<Secret>(secretResource, { name: secretName, namespace: harness.namespace });
  return secret?.data?.['value'];
}

function apply(color: string): Promise<void> {
  return harness.apply('web', { kubeConfig: { secretRef: { name: secretName } }, values: { color } });
}

async function colorOnMember(): Promise<string | undefined> {
  return (await harness.configMap('web'))?.data?.['color'];
}

beforeAll(async () => {
  const { host, world } = harness;
  fleet = await freshNamespace(host, 'fleet');
  secretName = credentialName({ apiGroup: '', kind: 'Secret', namespace: fleet, name: 'eu' });
  const value = (await readFile(world.members[0]!.kubeconfig)).toString('base64');
  const metadata = { name: 'eu', namespace: fleet, labels: { [CLUSTER_LABEL]: 'true' } };
  await host.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data: { value } } });
  await createAccount();
  const options = { controllerNamespace: 'fairlead-system' };
  running = runControllers({ kube: host }, [(context) => credentialControllers(context, options)]);
}, 120_000);

test('a release waits for its credential and is installed with it', async () => {
  await apply('red');
  await harness.until('web', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(secretName),
    });
  });
  await grant();
  await harness.untilReady('web');
  expect(await colorOnMember()).toBe('red');
});

test('a token is renewed under the release, and only the new one is used then', async () => {
  const { member, host, namespace } = harness;
  const before = await kubeconfig();
  // Ends every token of before: a ServiceAccount of another UID is another one.
  await member.delete(serviceAccountResource, account().metadata);
  await member.create(serviceAccountResource, account());
  const annotations = { [CREDENTIAL_RENEWAL_ANNOTATION]: '2026-01-01T00:00:00Z' };
  const body = { metadata: { annotations } };
  await host.patch(secretResource, { name: secretName, namespace }, { type: 'merge', body });
  await eventually(async () => {
    const now = await kubeconfig();
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
  });
  await apply('blue');
  await harness.untilReady('web');
  expect(await colorOnMember()).toBe('blue');
});

test('a grant that is taken back stops work and touches nothing, until it is given again', async () => {
  await harness.host.delete(clusterGrantResource, { name: harness.namespace });
  await eventually(async () => expect(await kubeconfig()).toBeUndefined());
  await apply('green');
  await harness.until('web', (release) => {
    expect(release.status?.observedGeneration).toBe(release.metadata.generation);
    expect(conditionOf(release, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(secretName),
    });
  });
  expect(await colorOnMember()).toBe('blue');
  await grant();
  await harness.untilReady('web');
  expect(await colorOnMember()).toBe('green');
});

test('a release is uninstalled with its credential, which goes last', async () => {
  const { host, member, namespace } = harness;
  await host.delete(helmReleaseResource, { name: 'web', namespace });
  await eventually(async () => {
    expect(await host.get(secretResource, { name: secretName, namespace })).toBeUndefined();
  });
  expect(await member.get(configMapResource, { name: 'web', namespace })).toBeUndefined();
});
