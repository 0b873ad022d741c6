import { afterAll, beforeAll, expect, test } from '@jest/globals';
import groupBy from 'lodash/groupBy.js';
import uniqBy from 'lodash/uniqBy.js';
import pLimit from 'p-limit';
import { namespaceResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { listAll } from '#runtime/client/kube.js';
import { eventually } from '../../support/world.js';
import { BOUNDARY_CASES, REQUESTED, STEPS, type BoundaryCase } from './boundary-cases.js';
import { Cuts, type CutMode } from './interrupted-writes.js';
import { allRevisions, rewriteRevision, revisionsOf } from './stored-revisions.js';
import { createHarness, type Harness } from './harness.js';

/** Releases at the same time, far more than passes wait for anything. */
const CONCURRENCY = 24;
/** For all releases together, on a busy machine. */
const SOON = { timeoutMs: 400_000, intervalMs: 500 };

/** Writes that the next process reads. */
const STATE = / (secrets|helmreleases)\//;

/** One run of an action that is cut off at its `at`th write. */
interface Run {
  readonly name: string;
  readonly about: BoundaryCase;
  readonly mode: CutMode;
  readonly at: number;
}

let harness: Harness;
const cuts = new Cuts();
/** What storage held when the process was dead, and when the next one had come to rest. */
const seen = { dead: new Map<string, string[]>(), healed: new Map<string, string[]>() };
let runs: Run[] = [];

function runOf(about: BoundaryCase, mode: CutMode, at: number): Run {
  return { name: `${about.action}-n${String(at).padStart(2, '0')}${mode.charAt(0)}`, about, mode, at };
}

function each(all: readonly Run[], work: (run: Run) => Promise<unknown>): Promise<unknown> {
  const limit = pLimit(16);
  return Promise.all(all.map((run) => limit(() => work(run))));
}

async function specify({ name }: Run, spec: object): Promise<void> {
  const chart = { spec: { chart: 'steps', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
  await harness.apply(name, { chart, targetNamespace: name, storageNamespace: name, ...spec } as Partial<
    HelmRelease['spec']
  >);
}

async function untilSettled(all: readonly Run[], isDone: (run: Run) => boolean = () => false): Promise<void> {
  await eventually(async () => {
    const items = await listAll<HelmRelease>(harness.host, helmReleaseResource, { namespace: harness.namespace });
    const byName = new Map(items.items.map((release) => [release.metadata.name, release]));
    const open = all.filter((run) => !isDone(run) && !run.about.isSettled(byName.get(run.name)));
    const shown = open.map(({ name }) => `${name}: ${JSON.stringify(byName.get(name)?.status?.conditions)}`);
    expect(shown).toEqual([]);
  }, SOON);
}

async function prepare(all: readonly Run[]): Promise<void> {
  const prepared = all.filter(({ about }) => about.before !== undefined);
  await each(all, async ({ name, about }) => {
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    if (about.action !== 'install') await harness.member.create(namespaceResource, namespace);
  });
  await each(prepared, (run) => specify(run, run.about.before ?? {}));
  await eventually(async () => {
    const releases = await Promise.all(prepared.map(({ name }) => harness.read(name)));
    const open = releases.filter(({ status }) => status?.conditions?.[0]?.status !== 'True');
    expect(open.map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`)).toEqual([]);
  }, SOON);
}

async function ask(run: Run): Promise<void> {
  const { name, about, mode, at } = run;
  const ref = { name, namespace: harness.namespace };
  cuts.arm(name, mode, at === 0 ? Infinity : at);
  if (about.wish === 'delete') return harness.host.delete(helmReleaseResource, ref).then(() => undefined);
  if (about.wish !== 'lock') return specify(run, about.wish);
  await rewriteRevision(harness, name, 1, { status: 'pending-upgrade', namespace: name });
  const annotations = { 'reconcile.fluxcd.io/requestedAt': REQUESTED };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata: { annotations } } });
}

async function look(all: readonly Run[]): Promise<Map<string, string[]>> {
  const found = await allRevisions(harness.member);
  return new Map(all.map(({ name }) => [name, found.get(`${name}/${name}`) ?? []]));
}

/** Every action once, undisturbed: so many writes, so many boundaries. */
async function measure(): Promise<Run[]> {
  const probes = BOUNDARY_CASES.map((about) => runOf(about, 'lost', 0));
  await prepare(probes);
  await each(probes, ask);
  await untilSettled(probes);
  const ends = await look(probes);
  expect(Object.fromEntries(probes.map(({ name, about }) => [about.action, ends.get(name)]))).toEqual(
    Object.fromEntries(BOUNDARY_CASES.map(({ action, undisturbed }) => [action, undisturbed])),
  );
  return probes.flatMap(({ name, about }) => cutsOf(about, cuts.writesOf(name)));
}

/** Each write is once the last one; those that carry state also lose their answer once. */
function cutsOf(about: BoundaryCase, writes: readonly string[]): Run[] {
  const first = about.from === undefined ? 0 : writes.findIndex((write) => about.from?.test(write));
  return writes.flatMap((write, index) => {
    if (index < first) return [];
    const killed = runOf(about, 'killed', index + 1);
    return STATE.test(write) ? [killed, runOf(about, 'lost', index + 1)] : [killed];
  });
}

/** Each action is cut off at each of its writes, all at the same time; then another process starts. */
async function play(): Promise<void> {
  harness = await createHarness('hr-cuts', { through: (kube) => cuts.through(kube) });
  await harness.publish('steps', '1.0.0', STEPS);
  const { stop: kill } = await harness.start(CONCURRENCY);
  runs = await measure();
  await prepare(runs);
  await each(runs, ask);
  await untilSettled(runs.filter(({ mode }) => mode === 'lost'));
  // A run that waits for less than the probe did has fewer writes: its last cuts have nothing to hit.
  await untilSettled(runs, ({ name }) => cuts.isHit(name));
  expectOnlyLastMissed();
  runs = runs.filter(({ name }) => cuts.isHit(name));
  await kill();
  seen.dead = await look(runs);
  cuts.clear();
  await harness.start(CONCURRENCY);
  await untilSettled(runs);
  seen.healed = await look(runs);
}

/** Only the last two writes of an action may be missing: every boundary before them was hit. */
function expectOnlyLastMissed(): void {
  for (const [action, ofAction] of Object.entries(groupBy(runs, ({ about }) => about.action))) {
    const last = Math.max(...ofAction.map(({ at }) => at));
    const missed = ofAction.filter(({ name, at }) => !cuts.isHit(name) && at <= last - 2);
    expect({ action, missed: missed.map(({ name }) => name) }).toEqual({ action, missed: [] });
  }
}

beforeAll(play, 1_500_000);
afterAll(() => harness.close());

function deployedOf(revisions: readonly string[]): number {
  return revisions.filter((each) => each.endsWith('deployed')).length;
}

/** What is wrong with the end of a run, in words. */
function faultsOf({ name, about: { undisturbed } }: Run): string[] {
  const [dead = [], healed = []] = [seen.dead.get(name), seen.healed.get(name)];
  const wasDone = dead.length > 0 && dead.join() === undisturbed.join();
  const faults = {
    'two deployed revisions in between': deployedOf(dead) > 1,
    'not as many deployed revisions as there should be': deployedOf(healed) !== deployedOf(undisturbed),
    'more than one revision too many': healed.length > undisturbed.length + 1,
    'lost history': healed.length < undisturbed.length,
    'did again what was done': wasDone && healed.join() !== dead.join(),
    'a revision that is not finished': healed.some((each) => /pending|uninstalling/.test(each)),
  };
  const found = Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [fault] : []));
  if (found.length === 0) return [];
  return [`${name}: ${found.join(', ')}: [${dead.join(', ')}], then [${healed.join(', ')}]`];
}

test.each(BOUNDARY_CASES.map(({ action }) => action))('%s heals from every boundary', (action) => {
  const own = runs.filter(({ about }) => about.action === action);
  expect(own.length).toBeGreaterThan(2);
  expect(own.flatMap(faultsOf)).toEqual([]);
});

test('the real helm reads the same histories', async () => {
  const kept = runs.filter(({ mode, name }) => mode === 'lost' && seen.healed.get(name)?.length !== 0);
  const some = uniqBy(kept, ({ about }) => about.action).map(({ name }) => name);
  const told = await Promise.all(some.map((name) => revisionsOf(harness, name, name)));
  expect(told).toEqual(some.map((name) => seen.healed.get(name)));
});
