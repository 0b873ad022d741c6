import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { LOOKUP_LABEL } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { listAll } from '#runtime/client/kube.js';
import { createHarness, type Harness } from '../source/harness.js';
import type { RunningControllers } from '../../support/harness.js';
import { eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { StagedStory } from './staged-story.js';
import { runApplications } from './with-sources.js';

let harness: Harness;
let controllers: RunningControllers;
let story: StagedStory;

beforeAll(async () => {
  harness = await createHarness('locks');
  await harness.publish({ name: 'web', version: '1.0.0' });
  await harness.apply('HelmRepository', 'charts', { url: harness.helmUrl });
  story = new StagedStory(harness);
  await story.createClusters();
  controllers = runApplications(harness.host, harness.namespace);
});

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
  const config = { helmRelease: { chart: { chart: 'web', version }, deploy: entries } };
  await story.put(name, { kind: 'HelmRepository', name: 'charts' }, config);
}

function versionOf(child: Child): string {
  // Its chart is as Flux has it.
  const chart = child.spec['chart'] as { spec: { version: string } };
  return chart.spec.version;
}

function eventuallyRuns(name: string, versions: Record<string, string>): Promise<void> {
  return story.eventuallyRuns(name, versions, versionOf);
}

/** The rollout of what the Application says now ends with this version on both clusters. */
function rollOut(name: string, version: string): Promise<void> {
  return story.rollOut(name, { eu: version, us: version }, versionOf);
}

/** Nothing is written while nothing changes. */
async function expectCalm(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await controllers.passes.atRest(ref);
  const before = await story.read(name);
  const body = { metadata: { annotations: { note: 'read by nobody' } } };
  await controllers.passes.after(ref, () => harness.host.patch(applicationResource, ref, { type: 'merge', body }));
  const after = await story.read(name);
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
  await story.becomes('range', 'False', 'RolloutProgressing', '1.1.0 is available');
  await eventuallyRuns('range', { eu: '1.0.0' });
  await story.finish('range', 'eu');
  await eventuallyRuns('range', { eu: '1.0.0', us: '1.0.0' });
  await story.finish('range', 'us');
  // The next rollout begins at the first stage.
  await eventuallyRuns('range', { eu: '1.1.0', us: '1.0.0' });

  const edit = { type: 'merge', body: { spec: { chart: { spec: { version: '1.1.0' } } } } } as const;
  await harness.host.patch(helmReleaseResource, (await story.childOf('range', 'us')).metadata, edit, {
    fieldManager: 'user',
  });
  await eventuallyRuns('range', { eu: '1.1.0', us: '1.0.0' });
  await story.finish('range', 'us');
  await rollOut('range', '1.1.0');
  expect((await story.read('range'))?.status).toMatchObject({
    rollout: { revision: 2, phase: 'Complete' },
    history: { revision: 2 },
    sources: [{ kind: 'HelmRepository', name: 'charts', chart: 'web', version: '1.x', revision: '1.1.0' }],
  });
});

test('a range that nothing satisfies waits, and names what it waits for', async () => {
  await put('early', '7.x');
  await story.becomes('early', 'False', 'RolloutAwaitingSource', 'chart web 7.x of HelmRepository');
  await story.becomes('early', 'False', 'RolloutAwaitingSource', "no 'web' chart");
  expect(await story.childrenOf('early')).toEqual([]);
  await publish('7.0.0');
  await eventuallyRuns('early', { eu: '7.0.0' });

  await rollOut('early', '7.0.0');
  await put('early', '8.x');
  await story.becomes('early', 'False', 'RolloutAwaitingSource', 'what runs is left unchanged');
  await eventuallyRuns('early', { eu: '7.0.0', us: '7.0.0' });
  const before = await lookupOf('8.x');
  await harness.host.delete(helmChartResource, before?.metadata ?? never());
  await eventually(async () => expect((await lookupOf('8.x'))?.metadata.uid).not.toBe(before?.metadata.uid));
  await expectCalm('early');
  await publish('8.0.0');
  await rollOut('early', '8.0.0');
});

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
    expect((await story.read('lost'))?.status?.warnings?.join()).toMatch(/chart web 3\.x .*; 3\.0\.0 stays/);
  });
  await put('lost', '3.x', 'b');
  await rollOut('lost', '3.0.0');
  await publish('3.1.0');
  await rollOut('lost', '3.1.0');
});

test('a lookup is deleted when no Application needs it', async () => {
  await publish('4.0.0');
  for (const name of ['one', 'two']) await put(name, '4.x');
  await eventuallyRuns('one', { eu: '4.0.0' });
  await eventuallyRuns('two', { eu: '4.0.0' });
  expect((await lookups()).filter(({ metadata }) => metadata.ownerReferences !== undefined)).toEqual([]);
  await put('one', '4.0.0');
  await eventually(async () => expect((await story.read('one'))?.status?.sources).toBeUndefined());
  expect(await lookupOf('4.x')).toBeDefined();
  await eventuallyRuns('one', { eu: '4.0.0' });
  await harness.host.delete(applicationResource, { name: 'two', namespace: harness.namespace });
  await eventually(async () => expect(await story.read('two')).toBeUndefined());
  await eventually(async () => expect(await lookupOf('4.x')).toBeUndefined());
});

function never(): never {
  throw new Error('it exists');
}
