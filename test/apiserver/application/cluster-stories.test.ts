import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { configMapResource, namespaceResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { applicationController } from '#controllers/application/setup.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { PLAIN } from '../helmrelease/charts.js';
import { useHarness } from '../helmrelease/harness.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually } from '../../support/world.js';

/** The embedded engine, and what expands Applications, on the host and one member. */
const harness = useHarness('born', { charts: { plain: PLAIN } });
let running: RunningControllers;

beforeAll(() => {
  const { host: kube, namespace, world } = harness;
  const rules = { allowCrossNamespace: true, controllerNamespace: 'fairlead', removalDelayMs: 200 };
  running = runControllers({ kube, namespace }, [
    (context) => applicationController(context, { ...rules, helmPath: world.tools.helm }),
  ]);
});

// Before the client is closed.
afterAll(() => running.stop());

/** A cluster that is born, or whose labels change. */
async function putCluster(name: string, kubeconfig: string, labels: Record<string, string>): Promise<void> {
  const { host, namespace } = harness;
  const value = (await readFile(kubeconfig)).toString('base64');
  const metadata = { name, namespace, labels: { [CLUSTER_LABEL]: 'true', ...labels } };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { value } };
  await host.apply(secretResource, secret, { fieldManager: 'user', force: true });
}

async function put(name: string, entry: object, more: Partial<Application['spec']> = {}): Promise<void> {
  const { host, namespace } = harness;
  const clusterSelector = { matchLabels: { of: name } };
  const deploy = [{ releaseName: name, ...entry, destination: { clusterSelector, targetNamespace: namespace } }];
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const config = { helmRelease: { chart: { chart: 'plain', version: '1.0.0' }, deploy } };
  const application: KubeObject & { spec: object } = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name, namespace } },
    spec: { kind: 'fluxcd', ...more, fluxApp: { spec: { source, config } } },
  };
  await host.apply(applicationResource, application, { fieldManager: 'user', force: true });
}

/** What the rows say, by cluster. */
async function rowsOf(name: string): Promise<Record<string, string>> {
  const found = await harness.host.get<Application>(applicationResource, { name, namespace: harness.namespace });
  const rows = (found?.status?.destinations ?? []).map(({ cluster = '', state }) => [cluster, state] as const);
  return Object.fromEntries<string>(rows);
}

function become(name: string, rows: Record<string, string>): Promise<void> {
  return eventually(async () => expect(await rowsOf(name)).toEqual(rows));
}

async function colorOn(kube: Kube, name: string): Promise<string | undefined> {
  const found = await kube.get<KubeObject & { data?: Record<string, string> }>(configMapResource, {
    name,
    namespace: harness.namespace,
  });
  const { color }: { readonly color?: string } = found?.data ?? {};
  return color;
}

async function childrenOf(name: string): Promise<Child[]> {
  const { items } = await listAll<Child>(harness.host, helmReleaseResource, { namespace: harness.namespace });
  return items.filter(({ spec }) => spec.releaseName === name);
}

test('a cluster is born, gets its release, leaves and comes back, and is gone', async () => {
  const { world, member, host, namespace } = harness;
  const [{ kubeconfig } = { kubeconfig: '' }] = world.members;
  // More than the default allows of one cluster within an hour.
  await put('life', { values: { color: 'red' } }, { maxRemovals: 5 });
  await become('life', {});
  await putCluster('life-1', kubeconfig, { of: 'life' });
  await become('life', { 'life-1': 'Ready' });
  expect(await colorOn(member, 'life')).toBe('red');

  await putCluster('life-1', kubeconfig, {});
  await eventually(async () => expect(await childrenOf('life')).toEqual([]));
  expect(await colorOn(member, 'life')).toBeUndefined();

  await putCluster('life-1', kubeconfig, { of: 'life' });
  await become('life', { 'life-1': 'Ready' });
  await host.delete(secretResource, { name: 'life-1', namespace });
  await eventually(async () => expect(await childrenOf('life')).toEqual([]));
  await become('life', {});
  // Nobody may know whether its object was deleted by mistake.
  expect(await colorOn(member, 'life')).toBe('red');

  await putCluster('life-1', kubeconfig, { of: 'life' });
  await become('life', { 'life-1': 'Ready' });
  expect(await colorOn(member, 'life')).toBe('red');
});

test('a template of values fails for one cluster, and the others go on', async () => {
  const { world, member, host } = harness;
  const [{ kubeconfig } = { kubeconfig: '' }] = world.members;
  await putCluster('tint-1', kubeconfig, { of: 'tint', color: 'red' });
  await putCluster('tint-2', world.host.kubeconfig, { of: 'tint' });
  const template = (more: string): object => ({
    valuesTemplate: `color: {{ required "color is needed" .ClusterLabels.color }}${more}\n`,
  });
  await put('tint', template(''));
  await become('tint', { 'tint-1': 'Ready', 'tint-2': 'Stalled' });
  expect([await colorOn(member, 'tint'), await colorOn(host, 'tint')]).toEqual(['red', undefined]);

  await putCluster('tint-2', world.host.kubeconfig, { of: 'tint', color: 'blue' });
  await become('tint', { 'tint-1': 'Ready', 'tint-2': 'Ready' });
  expect(await colorOn(host, 'tint')).toBe('blue');

  // What runs where it fails later is left unchanged.
  await putCluster('tint-2', world.host.kubeconfig, { of: 'tint' });
  await put('tint', template('-new'));
  await become('tint', { 'tint-1': 'Ready', 'tint-2': 'Stalled' });
  await eventually(async () => expect(await colorOn(member, 'tint')).toBe('red-new'));
  expect(await colorOn(host, 'tint')).toBe('blue');
  expect(await childrenOf('tint')).toHaveLength(2);
});

test('with the policy Orphan, labels of the namespace stay as the release does', async () => {
  const { world, member, host, namespace } = harness;
  const [{ kubeconfig } = { kubeconfig: '' }] = world.members;
  await putCluster('kept-1', kubeconfig, { of: 'kept' });
  const spec = { deletionPolicy: 'Orphan' } as const;
  await put('kept', { values: { color: 'red' }, namespaceLabels: { 'example.com/tier': 'edge' } }, spec);
  await become('kept', { 'kept-1': 'Ready' });
  const labelOf = async (): Promise<unknown> =>
    (await member.get(namespaceResource, { name: namespace }))?.metadata.labels?.['example.com/tier'];
  expect(await labelOf()).toBe('edge');
  const [child] = await childrenOf('kept');
  await host.delete(applicationResource, { name: 'kept', namespace });
  await eventually(async () => {
    expect(await host.get(applicationResource, { name: 'kept', namespace })).toBeUndefined();
  });
  const [left] = await childrenOf('kept');
  expect(left?.metadata).toMatchObject({ uid: child?.metadata.uid });
  expect(left?.metadata.deletionTimestamp).toBeUndefined();
  expect([await labelOf(), await colorOn(member, 'kept')]).toEqual(['edge', 'red']);
});
