import { beforeAll, expect, test } from '@jest/globals';
import { configMapResource, eventResource, namespaceResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Cluster } from '#sandbox/world.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const RBAC = 'rbac.authorization.k8s.io';
const ROLES: ResourceType = { group: RBAC, version: 'v1', kind: 'Role', plural: 'roles', namespaced: true };
const BINDINGS: ResourceType = { ...ROLES, kind: 'RoleBinding', plural: 'rolebindings' };

/** Looks at what only an administrator may see. */
const PEEK = '{{- $all := lookup "v1" "Secret" "kube-system" "" }}\n';

const harness = useHarness('hr-sa', {
  charts: { plain: PLAIN, curious: { ...PLAIN, 'templates/peek.yaml': PEEK } },
  defaultServiceAccount: 'tenant',
});
beforeAll(async () => {
  const { host, member, namespace } = harness;
  await host.create(serviceAccountResource, objectOf('v1', 'ServiceAccount', { name: 'tenant', namespace }));
  await grant(host, 'tenant', { configmaps: ['*'], secrets: ['*'] });
  await grant(member, 'deployer', { configmaps: ['*'], secrets: ['*'] });
  await grant(member, 'keeper', { configmaps: ['get'], secrets: ['*'] });
});

function objectOf(apiVersion: string, kind: string, metadata: KubeObject['metadata'], rest: object = {}): KubeObject {
  return { apiVersion, kind, metadata, ...rest };
}

/** Lets an account of the test's namespace do this with these resources there, and nothing else. */
async function grant(kube: Kube, account: string, verbsOf: Readonly<Record<string, string[]>>): Promise<void> {
  const { namespace } = harness;
  const metadata = { name: account, namespace };
  const rules = Object.entries(verbsOf).map(([resource, verbs]) => ({ apiGroups: [''], resources: [resource], verbs }));
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: account };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  await kube.create(ROLES, objectOf(`${RBAC}/v1`, 'Role', metadata, { rules }));
  await kube.create(BINDINGS, objectOf(`${RBAC}/v1`, 'RoleBinding', metadata, { roleRef, subjects }));
}

function userOf(account: string): string {
  return `system:serviceaccount:${harness.namespace}:${account}`;
}

/** In whose name the engine wrote objects of releases; `''` is its own. */
async function writers(cluster: Cluster, since: number, release: string): Promise<Set<string>> {
  const mine = (await auditEntries(cluster, since)).filter(({ userAgent, requestURI, objectRef }) => {
    const isObject = ['configmaps', 'secrets'].includes(objectRef?.resource ?? '');
    const isOurs = isObject && objectRef?.namespace === harness.namespace && userAgent === 'fairlead';
    return isOurs && new RegExp(`[/.]${release}[.?-]|/secrets\\?`).test(`${requestURI}?`);
  });
  return new Set(mine.map(({ impersonatedUser }) => impersonatedUser?.username ?? ''));
}

function member(): Cluster {
  return harness.world.members[0]!;
}

function expectFailed(release: HelmRelease, reason: string, message: string): void {
  const expected = { status: 'False', reason, message: expect.stringContaining(message) };
  expect(conditionOf(release, 'Ready')).toMatchObject(expected);
}

test('a release is made, kept and taken down in the name of its account, and of nobody else', async () => {
  const { namespace, host } = harness;
  const since = await auditPosition(member());
  await harness.apply('own', { serviceAccountName: 'deployer' });
  await harness.untilReady('own');
  await harness.apply('own', { serviceAccountName: 'deployer', values: { color: 'green' } });
  await eventually(async () => expect((await harness.configMap('own'))?.data?.['color']).toBe('green'));
  await harness.untilReady('own');
  expect(await writers(member(), since, 'own')).toEqual(new Set([userOf('deployer')]));
  await host.delete(helmReleaseResource, { name: 'own', namespace });
  await eventually(async () => expect(await harness.configMap('own')).toBeUndefined());
  expect(await writers(member(), since, 'own')).toEqual(new Set([userOf('deployer')]));
});

test('without a right the release fails, and says who may not do what', async () => {
  const since = await auditPosition(member());
  await Promise.all([
    harness.apply('stranger', { serviceAccountName: 'stranger' }),
    harness.apply('keeper', { serviceAccountName: 'keeper' }),
  ]);
  await harness.until('stranger', (release) => {
    expectFailed(release, 'Forbidden', `User "${userOf('stranger')}" cannot list resource "secrets"`);
  });
  await harness.until('keeper', (release) => {
    expectFailed(release, 'InstallFailed', `User "${userOf('keeper')}" cannot patch resource "configmaps"`);
    expect(conditionOf(release, 'Stalled')).toMatchObject({ reason: 'RetriesExceeded' });
  });
  expect(await harness.configMap('stranger')).toBeUndefined();
  expect(await harness.configMap('keeper')).toBeUndefined();
  const names = await writers(member(), since, '(stranger|keeper)');
  expect([...names]).toEqual([userOf('keeper')]);
});

test('an annotation with labels for the namespace gives no rights that its account does not have', async () => {
  const { namespace, host, member: kube } = harness;
  const wanted = JSON.stringify({ labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } });
  const annotate = (value: string | null): Promise<unknown> => {
    const body = { metadata: { annotations: { [NAMESPACE_METADATA_ANNOTATION]: value } } };
    return host.patch(helmReleaseResource, { name: 'labels', namespace }, { type: 'merge', body });
  };
  await harness.apply('labels', { serviceAccountName: 'deployer' });
  await harness.untilReady('labels');
  await annotate(wanted);
  await harness.until('labels', (release) => {
    expectFailed(release, 'Forbidden', `User "${userOf('deployer')}" cannot get resource "namespaces"`);
  });
  const live = await kube.get<KubeObject>(namespaceResource, { name: namespace });
  expect(Object.keys(live?.metadata.labels ?? {})).not.toContain('pod-security.kubernetes.io/enforce');
  await annotate('{}');
  const ready = await harness.untilReady('labels');
  await eventually(async () => {
    const { metadata } = await harness.read('labels');
    expect(metadata.annotations ?? {}).not.toHaveProperty([NAMESPACE_METADATA_ANNOTATION]);
  });
  expect(ready.status?.history).toHaveLength(1);
});

test('a chart can look up what its ServiceAccount may read', async () => {
  await harness.apply('curious', {
    chart: { spec: { chart: 'curious', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
    serviceAccountName: 'deployer',
  });
  await harness.until('curious', (release) => {
    expectFailed(release, 'InstallFailed', `User "${userOf('deployer')}" cannot list resource "secrets"`);
  });
});

test('the default ServiceAccount is impersonated if the spec names none, on the host as well; without it a deletion still completes', async () => {
  const { namespace, host } = harness;
  const since = await auditPosition(harness.world.host);
  await harness.apply('hosted', { kubeConfig: undefined });
  await harness.untilReady('hosted');
  expect(await writers(harness.world.host, since, 'hosted')).toEqual(new Set([userOf('tenant')]));
  await host.delete(serviceAccountResource, { name: 'tenant', namespace });
  await host.delete(helmReleaseResource, { name: 'hosted', namespace });
  await eventually(async () => {
    expect(await host.get(helmReleaseResource, { name: 'hosted', namespace })).toBeUndefined();
  });
  expect(await host.get(configMapResource, { name: 'hosted', namespace })).toBeDefined();
  await eventually(async () => {
    const { items } = await host.list<KubeObject & { reason?: string; message?: string }>(eventResource, { namespace });
    const skipped = items.find(({ reason }) => reason === 'UninstallSkipped');
    expect(skipped?.message).toContain(`ServiceAccount ${namespace}/tenant does not exist`);
  });
});
