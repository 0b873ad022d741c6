import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { DryRun } from '#api/dry-run.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { listAll } from '#runtime/client/kube.js';
import type { RunningControllers } from '../../support/harness.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, createHarness, type Harness } from './harness.js';

const ANNOTATION = 'gitops.kubesphere.io/dry-run';

let harness: Harness;
let controllers: RunningControllers;

beforeAll(async () => {
  harness = await createHarness('hr-dry');
  await harness.publish('plain', '1.0.0', PLAIN);
  await harness.publish('plain', '1.1.0', PLAIN);
  controllers = await harness.start();
});

afterAll(() => harness.close());

async function annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
  const { host, namespace } = harness;
  await host.patch(helmReleaseResource, { name, namespace }, { type: 'merge', body: { metadata: { annotations } } });
}

/** A HelmRelease that is suspended until it has the annotation: it never was without. */
async function applyDry(name: string, spec: Parameters<Harness['apply']>[1]): Promise<void> {
  await harness.apply(name, { ...spec, suspend: true });
  await annotate(name, { [ANNOTATION]: 'true' });
  await harness.apply(name, spec);
}

/** Waits for the change set of the HelmRelease as it is now. */
async function published(name: string): Promise<DryRun> {
  const { status } = await harness.until(name, ({ metadata, status: found }) => {
    const isNow = found?.dryRun?.observedGeneration === metadata.generation;
    if (!isNow) throw new Error(`not yet: ${JSON.stringify(found, null, 1)}`);
  });
  if (status?.dryRun === undefined) throw new Error('no change set');
  return status.dryRun;
}

function lines({ objects = [] }: DryRun): string[] {
  return objects.flatMap(({ action, kind, name, fields = [] }) => [
    `${action} ${kind}/${name}`,
    ...fields.map(({ path, old, new: next }) => `  ${path}: ${old ?? '-'} > ${next ?? '-'}`),
  ]);
}

/** Writes to one cluster in the test's namespace that are neither dry runs, nor events, nor made by the test. */
async function writesSince(cluster: 'host' | 'member', since: number): Promise<string[]> {
  const { world, namespace } = harness;
  const of = cluster === 'host' ? world.host : world.members[0];
  if (of === undefined) throw new Error('no member');
  const ours = (await auditEntriesUntilNow(of, since)).filter(({ objectRef, requestURI }) => {
    const isOurs = objectRef?.namespace === namespace && objectRef.resource !== 'events';
    const isOfTest = objectRef?.resource === 'helmreleases' && objectRef.subresource === undefined;
    return isOurs && !isOfTest && !requestURI.includes('dryRun=All');
  });
  return ours.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.subresource}`);
}

async function storageSecrets(): Promise<string[]> {
  const { items } = await listAll(harness.member, secretResource, { namespace: harness.namespace });
  return items.map(({ metadata }) => metadata.name);
}

test('an install is described, without a HelmChart, a revision or an object', async () => {
  const { host, world, namespace } = harness;
  const member = world.members[0];
  if (member === undefined) throw new Error('no member');
  const since = { host: await auditPosition(world.host), member: await auditPosition(member) };
  await applyDry('fresh', { values: { color: 'red' } });
  const dryRun = await published('fresh');
  expect(dryRun.action).toBe('install (no release in storage)');
  expect(lines(dryRun)).toEqual(['created ConfigMap/fresh', 'created ConfigMap/fresh-extra']);
  await controllers.passes.atRest({ name: 'fresh', namespace });
  expect(new Set(await writesSince('host', since.host))).toEqual(new Set(['patch helmreleases/status']));
  expect(await writesSince('member', since.member)).toEqual([]);
  const found = await harness.read('fresh');
  expect(found.metadata.finalizers ?? []).toEqual([]);
  expect(found.status).not.toHaveProperty('helmChart');
  expect(found.status).not.toHaveProperty('lastAttemptedRevision');
  expect(await host.get(helmChartResource, { name: `${namespace}-fresh`, namespace })).toBeUndefined();
});

test('an upgrade is described field by field, and made once the annotation is gone', async () => {
  await harness.apply('web', { values: { color: 'red' } });
  const applied = await harness.untilReady('web');
  await annotate('web', { [ANNOTATION]: 'true' });
  expect(await published('web')).toMatchObject({ summary: { unchanged: 2, changed: 0 } });
  const before = await storageSecrets();
  const chart = {
    spec: { chart: 'plain', version: '1.1.0', sourceRef: { kind: 'HelmRepository' as const, name: 'charts' } },
  };
  await harness.apply('web', { chart, values: { color: 'green', extra: false } });
  const dryRun = await published('web');
  expect(dryRun).toMatchObject({ revision: '1.1.0', action: 'upgrade (chart version 1.0.0 -> 1.1.0)' });
  expect(lines(dryRun)).toEqual([
    'deleted ConfigMap/web-extra',
    'changed ConfigMap/web',
    // The spec has changed: the values so far may come from a Secret that it referred to.
    '  /data/color: - > "green"',
    '  /data/upgrade: - > "true"',
  ]);
  const found = await harness.read('web');
  expect(found.status?.history).toEqual(applied.status?.history);
  expect(conditionOf(found, 'Ready')).toEqual(conditionOf(applied, 'Ready'));
  expect(await storageSecrets()).toEqual(before);
  expect((await harness.configMap('web'))?.data).toEqual({ color: 'red', upgrade: 'false' });

  await annotate('web', { [ANNOTATION]: null });
  const after = await harness.untilReady('web');
  expect(after.status).not.toHaveProperty('dryRun');
  expect((await harness.configMap('web'))?.data).toEqual({ color: 'green', upgrade: 'true' });
  expect(await harness.configMap('web-extra')).toBeUndefined();
});

test('forceAt stays open until the reconciliation that writes', async () => {
  await harness.apply('forced', {});
  await harness.untilReady('forced');
  await annotate('forced', { [ANNOTATION]: 'true' });
  await published('forced');
  const request = { 'reconcile.fluxcd.io/requestedAt': '1', 'reconcile.fluxcd.io/forceAt': '1' };
  await annotate('forced', request);
  await harness.until('forced', ({ status }) => {
    expect(status?.dryRun?.action).toBe('upgrade (an upgrade was requested by annotation)');
    expect(status?.lastHandledReconcileAt).toBe('1');
    expect(status).not.toHaveProperty('lastHandledForceAt');
  });
  await annotate('forced', { [ANNOTATION]: null });
  await harness.until('forced', ({ status }) => {
    expect(status?.lastHandledForceAt).toBe('1');
    expect(status?.history?.[0]?.version).toBe(2);
  });
});

test('values that may come from a Secret are not shown, and a second pass writes nothing', async () => {
  const { host, namespace, world } = harness;
  const metadata = { name: 'values', namespace };
  const stringData = { 'values.yaml': '{color: secret, key: key-of-secret}' };
  await host.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, stringData } as never);
  await harness.apply('hidden', { values: { color: 'red' } });
  await harness.untilReady('hidden');
  await annotate('hidden', { [ANNOTATION]: 'true' });
  await published('hidden');
  await harness.apply('hidden', { valuesFrom: [{ kind: 'Secret', name: 'values' }] });
  const dryRun = await published('hidden');
  expect(lines(dryRun)).toEqual(expect.arrayContaining(['  /data/color: - > -', '  /data/*****: - > -']));
  expect(JSON.stringify((await harness.read('hidden')).status)).not.toContain('secret');
  await controllers.passes.atRest({ name: 'hidden', namespace });
  const since = await auditPosition(world.host);
  await controllers.passes.after({ name: 'hidden', namespace }, () => annotate('hidden', { 'example.com/note': '1' }));
  expect(await writesSince('host', since)).toEqual([]);
  expect((await harness.read('hidden')).status?.dryRun).toEqual(dryRun);
});

test('a chart that does not exist is the reason why there is no change set', async () => {
  const chart = {
    spec: { chart: 'plain', version: '9.9.9', sourceRef: { kind: 'HelmRepository' as const, name: 'charts' } },
  };
  await applyDry('missing', { chart });
  await harness.until('missing', (release) => {
    expect(conditionOf(release, 'DryRun')).toMatchObject({ status: 'False', reason: 'SourceNotReady' });
  });
});

test('a deletion is no dry run: the release is uninstalled', async () => {
  const { host, namespace } = harness;
  await harness.apply('end', {});
  await harness.untilReady('end');
  await annotate('end', { [ANNOTATION]: 'true' });
  await published('end');
  await host.delete(helmReleaseResource, { name: 'end', namespace });
  await eventually(async () => {
    expect(await harness.configMap('end')).toBeUndefined();
    expect(await host.get(helmReleaseResource, { name: 'end', namespace })).toBeUndefined();
  });
});
