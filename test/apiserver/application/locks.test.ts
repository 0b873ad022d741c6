import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { LOOKUP_LABEL } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/types.js';
import { getCondition } from '#controllers/runtime/pure/conditions.js';
import { listAll } from '#controllers/runtime/kube.js';
import { createHarness, type Harness } from '#test/apiserver/flux/source/harness.js';
import type { RunningControllers } from '#test/support/harness.js';
import { eventually } from '#test/support/world.js';
import { deploy } from '#test/unit/application/model/builders.js';
import { runApplications } from './with-sources.js';

const CANARY = { stages: [{ name: 'canary', clusters: { names: ['eu'] } }] };

let harness: Harness;
let controllers: RunningControllers;

beforeAll(async () => {
  harness = await createHarness('locks');
  await harness.publish({ name: 'web', version: '1.0.0' });
  await harness.apply('HelmRepository', 'charts', { url: harness.helmUrl });
  for (const name of ['eu', 'us']) {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace } };
    await harness.host.create(secretResource, secret);
  }
  controllers = runApplications(harness.host, harness.namespace);
}, 180_000);

afterAll(async () => {
  await controllers.stop();
  await harness.close();
});

/** Publishes one more version, which the repository has from then on. */
async function publish(version: string): Promise<void> {
  await harness.publish({ name: 'web', version });
  await harness.reconcile('HelmRepository', 'charts');
}

async function put(name: string, version: string, image = 'a'): Promise<void> {
  const entries = ['eu', 'us'].map((cluster) => deploy(name, cluster, { values: { image } }));
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;
  const config = { helmRelease: { chart: { chart: 'web', version }, deploy: entries } };
  const application: Application = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' },
    metadata: { name, namespace: harness.namespace },
    spec: { kind: 'fluxcd', rollout: CANARY, fluxApp: { spec: { source, config } } },
  };
  await harness.host.apply(applicationResource, application, { fieldManager: 'user', force: true });
}

async function read(name: string): Promise<Application | undefined> {
  return harness.host.get<Application>(applicationResource, { name, namespace: harness.namespace });
}

async function childrenOf(name: string): Promise<Child[]> {
  const { items } = await listAll<Child>(harness.host, helmReleaseResource, { namespace: harness.namespace });
  return items.filter(({ spec }) => spec.targetNamespace === name);
}

function clusterOf({ spec }: Child): string {
  return spec.kubeConfig?.secretRef?.name ?? '';
}

async function versionsOf(name: string): Promise<Record<string, string>> {
  const pairs = (await childrenOf(name)).map((child): [string, string] => {
    // Its chart is as Flux has it.
    const chart = child.spec['chart'] as { spec: { version: string } };
    return [clusterOf(child), chart.spec.version];
  });
  return Object.fromEntries(pairs);
}

function eventuallyRuns(name: string, versions: Record<string, string>): Promise<void> {
  return eventually(async () => expect(await versionsOf(name)).toEqual(versions));
}

/** The engine of a cluster is done with what its child says now. */
async function finish(name: string, ...clusters: string[]): Promise<void> {
  for (const child of (await childrenOf(name)).filter((each) => clusters.includes(clusterOf(each)))) {
    const { generation: observedGeneration = 1 } = child.metadata;
    const ready = { type: 'Ready', status: 'True', reason: 'UpgradeSucceeded', message: 'done', observedGeneration };
    const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const patch = { type: 'merge', body: { status: { observedGeneration, conditions } } } as const;
    await harness.host.patch(helmReleaseResource, child.metadata, patch, { subresource: 'status' });
  }
}

function becomes(name: string, status: string, reason: string, message = ''): Promise<void> {
  return eventually(async () => {
    const condition = getCondition((await read(name))?.status?.conditions, 'RolledOut');
    expect(condition).toMatchObject({ status, reason });
    expect(condition?.message).toContain(message);
  });
}

/** The rollout of what the Application says now ends with this version on both clusters. */
async function rollOut(name: string, version: string): Promise<void> {
  await eventually(async () => {
    await finish(name, 'eu', 'us');
    const found = await read(name);
    expect(found?.status?.observedGeneration).toBe(found?.metadata.generation);
    expect(getCondition(found?.status?.conditions, 'RolledOut')).toMatchObject({ status: 'True', reason: 'RolledOut' });
    expect(await versionsOf(name)).toEqual({ eu: version, us: version });
  });
}

/** Nothing is written while nothing changes. */
async function expectCalm(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await controllers.passes.atRest(ref);
  const before = await read(name);
  const body = { metadata: { annotations: { note: 'read by nobody' } } };
  await controllers.passes.after(ref, () => harness.host.patch(applicationResource, ref, { type: 'merge', body }));
  const after = await read(name);
  expect(after?.status).toEqual(before?.status);
}

async function lookups(): Promise<KubeObject[]> {
  const query = { namespace: harness.namespace, labelSelector: LOOKUP_LABEL };
  return (await listAll(harness.host, helmChartResource, query)).items;
}

test('a version range means the same on all clusters while a newer chart appears', async () => {
  await put('range', '1.x');
  await eventuallyRuns('range', { eu: '1.0.0' });
  await publish('1.1.0');
  await becomes('range', 'False', 'RolloutProgressing', '1.1.0 is available');
  expect(await versionsOf('range')).toEqual({ eu: '1.0.0' });
  await finish('range', 'eu');
  await eventuallyRuns('range', { eu: '1.0.0', us: '1.0.0' });
  await finish('range', 'us');
  // The next rollout begins at the first stage.
  await eventuallyRuns('range', { eu: '1.1.0', us: '1.0.0' });

  const us = (await childrenOf('range')).find((child) => clusterOf(child) === 'us');
  const edit = { type: 'merge', body: { spec: { chart: { spec: { version: '1.1.0' } } } } } as const;
  await harness.host.patch(helmReleaseResource, us?.metadata ?? never(), edit, { fieldManager: 'user' });
  await eventuallyRuns('range', { eu: '1.1.0', us: '1.0.0' });
  await finish('range', 'us');
  await rollOut('range', '1.1.0');
  expect((await read('range'))?.status).toMatchObject({
    rollout: { revision: 2, phase: 'Complete' },
    history: { revision: 2 },
    sources: [{ kind: 'HelmRepository', name: 'charts', chart: 'web', version: '1.x', revision: '1.1.0' }],
  });
}, 120_000);

test('a range that nothing satisfies waits, and names what it waits for', async () => {
  await put('early', '7.x');
  await becomes('early', 'False', 'RolloutAwaitingSource', 'chart web 7.x of HelmRepository');
  await becomes('early', 'False', 'RolloutAwaitingSource', "no 'web' chart");
  expect(await childrenOf('early')).toEqual([]);
  await publish('7.0.0');
  await eventuallyRuns('early', { eu: '7.0.0' });

  await rollOut('early', '7.0.0');
  await put('early', '8.x');
  await becomes('early', 'False', 'RolloutAwaitingSource', 'what runs is left unchanged');
  expect(await versionsOf('early')).toEqual({ eu: '7.0.0', us: '7.0.0' });
  const before = await lookupOf('8.x');
  await harness.host.delete(helmChartResource, before?.metadata ?? never());
  await eventually(async () => expect((await lookupOf('8.x'))?.metadata.uid).not.toBe(before?.metadata.uid));
  await expectCalm('early');
  await publish('8.0.0');
  await rollOut('early', '8.0.0');
}, 120_000);

async function lookupOf(version: string): Promise<KubeObject | undefined> {
  // Its spec is that of a HelmChart.
  return (await lookups()).find((each) => (each as unknown as { spec: { version: string } }).spec.version === version);
}

test('an index that loses its charts, and a lookup that is gone, change nothing that runs', async () => {
  await publish('3.0.0');
  await put('lost', '3.x');
  await rollOut('lost', '3.0.0');
  await writeFile(path.join(harness.helmRoot, 'index.yaml'), 'apiVersion: v1\nentries: {}\n');
  await harness.reconcile('HelmRepository', 'charts');
  await eventually(async () => {
    expect((await read('lost'))?.status?.warnings?.join()).toMatch(/chart web 3\.x .*; 3\.0\.0 stays/);
  });
  await put('lost', '3.x', 'b');
  await rollOut('lost', '3.0.0');
  await publish('3.1.0');
  await rollOut('lost', '3.1.0');
}, 120_000);

test('a lookup is deleted when no Application needs it', async () => {
  await publish('4.0.0');
  for (const name of ['one', 'two']) await put(name, '4.x');
  await eventuallyRuns('one', { eu: '4.0.0' });
  await eventuallyRuns('two', { eu: '4.0.0' });
  expect((await lookups()).filter(({ metadata }) => metadata.ownerReferences !== undefined)).toEqual([]);
  await put('one', '4.0.0');
  await eventually(async () => expect((await read('one'))?.status?.sources).toBeUndefined());
  expect(await lookupOf('4.x')).toBeDefined();
  expect(await versionsOf('one')).toEqual({ eu: '4.0.0' });
  await harness.host.delete(applicationResource, { name: 'two', namespace: harness.namespace });
  await eventually(async () => expect(await read('two')).toBeUndefined());
  await eventually(async () => expect(await lookupOf('4.x')).toBeUndefined());
}, 120_000);

function never(): never {
  throw new Error('it exists');
}
