import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, eventResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../../support/world.js';
import { configMap, createHarness, type Files, type Harness } from './harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('requests');
});

afterAll(() => harness.close());

const GROUP = 'kustomize.toolkit.fluxcd.io';

function tenOf(name: string, data: Files = {}): Files {
  const names = Array.from({ length: 10 }, (_, index) => `${name}-${index}`);
  return Object.fromEntries(names.map((each) => [`${each}.yaml`, configMap(each, data)]));
}

type Counts = Readonly<Record<string, number>>;

function counted(requests: readonly string[]): Counts {
  return Object.fromEntries([...new Set(requests)].map((one) => [one, requests.filter((each) => each === one).length]));
}

type Entry = Awaited<ReturnType<typeof auditEntriesUntilNow>>[number];

/** True for a request of the controller about an object of this name. */
function isAbout(name: string, { objectRef, requestURI }: Entry): boolean {
  if (objectRef?.namespace !== harness.namespace || requestURI.includes('fieldManager=test')) return false;
  const isTold = objectRef.resource !== 'events' && objectRef.resource !== 'gitrepositories';
  return isTold && objectRef.name?.startsWith(name) === true;
}

function described({ objectRef, requestURI, verb }: Entry): string {
  const subresource = objectRef?.subresource === undefined ? '' : `/${objectRef.subresource}`;
  return `${requestURI.includes('dryRun=') ? 'dry-run ' : ''}${verb} ${objectRef?.resource ?? ''}${subresource}`;
}

/** What the audit log has, which are no reads: `verb resource`, `dry-run` before it. */
async function requestsSince(position: number, name: string): Promise<string[]> {
  const entries = await auditEntriesUntilNow(harness.world.host, position);
  return entries.filter((entry) => isAbout(name, entry)).map(described);
}

/** All requests of the passes that `work` brings, the last of which has ended. */
async function requestsDuring(name: string, work: () => Promise<unknown>): Promise<string[]> {
  const { passes } = harness.controllers;
  const ref = { name, namespace: harness.namespace };
  await passes.atRest(ref);
  const since = await auditPosition(harness.world.host);
  await work();
  await passes.atRest(ref);
  return requestsSince(since, name);
}

async function eventsOf(name: string): Promise<string[]> {
  const { items } = await harness.host.list<Unstructured>(eventResource, { namespace: harness.namespace });
  const own = items.filter((event) => isMap(event['involvedObject']) && event['involvedObject']['name'] === name);
  return own.map((event) => String(event['reason'])).sort();
}

test('a first roll-out writes each of 10 objects once, and the Kustomization three times', async () => {
  await harness.publish('ten', tenOf('ten'));
  const work = async (): Promise<void> => {
    await harness.apply('ten');
    await harness.untilReady('ten');
    await eventually(async () => expect(await eventsOf('ten')).toEqual(['Progressing', 'ReconciliationSucceeded']));
  };
  const requests = await requestsDuring('ten', work);
  const rollOut = counted(requests.slice(0, requests.lastIndexOf('patch configmaps') + 1));
  expect(rollOut).not.toHaveProperty('dry-run patch configmaps');
  const { 'patch kustomizations/status': statuses, ...rest } = counted(requests);
  expect(rest).toMatchObject({ 'patch kustomizations': 1, 'patch configmaps': 10 });
  // A pass of more than a second says that it is at work.
  expect([2, 3]).toContain(statuses);
});

test('what is new in a later revision is checked by a dry run', async () => {
  await harness.publish('more', { 'a.yaml': configMap('more-a') });
  await harness.apply('more');
  await harness.untilReady('more');
  const work = async (): Promise<unknown> => harness.untilReady('more', await harness.publish('more', tenOf('more-b')));
  const { 'dry-run patch configmaps': dryRuns, ...writes } = counted(await requestsDuring('more', work));
  // What is deleted brings another pass, which compares them again.
  expect(dryRuns).toBeGreaterThanOrEqual(10);
  expect(writes).toMatchObject({ 'patch configmaps': 10, 'delete configmaps': 1 });
});

test('a first roll-out takes over what exists, and leaves what asks to be left', async () => {
  const { host, namespace } = harness;
  const byHand = (name: string, annotations: Record<string, string> = {}): object => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations }, data: { by: 'hand' } },
  });
  const options = { fieldManager: 'kubectl', force: true };
  for (const object of [byHand('own-0'), byHand('own-1', { [`${GROUP}/reconcile`]: 'disabled' })]) {
    await host.apply(configMapResource, object as Unstructured, options); // as built above
  }
  await harness.publish('own', tenOf('own', { by: 'us' }));
  await harness.apply('own');
  await harness.untilReady('own');
  expect((await harness.configMap('own-0'))?.data).toEqual({ by: 'us' });
  expect((await harness.configMap('own-1'))?.data).toEqual({ by: 'hand' });
  expect((await harness.configMap('own-1'))?.metadata.labels).toBeUndefined();
  expect((await harness.configMap('own-2'))?.data).toEqual({ by: 'us' });
  expect((await harness.read('own')).status?.inventory?.entries).toHaveLength(10);
});

test('one object that a first roll-out is refused keeps what exists, and what comes after it, from being written', async () => {
  const { host, namespace } = harness;
  const metadata = { name: 'torn-known', namespace };
  const options = { fieldManager: 'kubectl', force: true };
  await host.apply(configMapResource, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { by: 'hand' } }, options);
  const bad = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name: 'torn-bad' } };
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'torn-late' }, spec: {} };
  const good = { 'known.yaml': configMap('torn-known', { by: 'us' }), 'new.yaml': configMap('torn-new') };
  const late = { 'late.yaml': JSON.stringify(budget) };
  await harness.publish('torn', { ...good, ...late, 'bad.yaml': JSON.stringify(bad) });
  await harness.apply('torn');
  expect(await harness.untilNotReady('torn', 'ReconciliationFailed')).toContain('torn-bad');
  expect((await harness.configMap('torn-known'))?.data).toEqual({ by: 'hand' });
  const budgets = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' };
  expect(await host.get({ ...budgets, namespaced: true }, { name: 'torn-late', namespace })).toBeUndefined();
  await harness.untilReady('torn', await harness.publish('torn', { ...good, ...late }));
  expect((await harness.configMap('torn-known'))?.data).toEqual({ by: 'us' });
  expect(await host.get({ ...budgets, namespaced: true }, { name: 'torn-late', namespace })).toBeDefined();
});

test('a second pass over 1,000 objects makes no mutating request that is no dry run', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `thousand-${index}`);
  await harness.publish('thousand', { 'a.yaml': names.map((name) => configMap(name)).join('\n---\n') });
  await harness.apply('thousand');
  await harness.until('thousand', ({ status }) => expect(status?.lastAppliedRevision).toBeDefined(), 240_000);
  await harness.untilReady('thousand');
  const { host, namespace } = harness;
  const ref = { name: 'thousand', namespace };
  const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } };
  const work = async (): Promise<void> => {
    await host.patch(kustomizationResource, ref, { type: 'merge', body }, { fieldManager: 'test' });
    await harness.until('thousand', ({ status }) => expect(status?.lastHandledReconcileAt).toBe('now'), 240_000);
  };
  const { 'patch kustomizations/status': statuses, ...rest } = counted(await requestsDuring('thousand', work));
  // Written last, and once more where the pass takes more than a second.
  expect([1, 2]).toContain(statuses);
  expect(Object.keys(rest)).toEqual(['dry-run patch configmaps']);
}, 700_000);
