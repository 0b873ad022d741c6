import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { SELECTION_ANNOTATION } from '#api/v1alpha1/labels.js';
import { type ClusterView, selectionOf } from '#controllers/application/model/child/cluster.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import { expand } from '#controllers/application/model/destinations/expand.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { ChildPlan } from '#controllers/application/model/plan-children.js';
import { plannedChange } from '#controllers/application/model/dry-run.js';
import { isUntouched } from '#controllers/application/model/clusters/leaving.js';
import type { Departures } from '#controllers/application/model/clusters/departures.js';
import { INHERITED } from '../../../../support/inherited-names.js';
import { application, applied, entriesOf, ops, type Deploy, planChildren } from '../builders.js';
import { inventory, own, selecting, toClusters } from './builders.js';

const ENTRY = selecting({ env: 'prod' });
const LOST = inventory([], { lost: ['why'], whyUnknown: () => 'why' });

interface Situation {
  readonly entries?: Deploy[];
  readonly status?: ApplicationStatus;
  readonly annotations?: Record<string, string>;
}

/** The plan of a pass in which nothing has to settle. */
function pass(clusters: ClusterView, owned: readonly Child[], situation: Situation = {}): ChildPlan {
  const { entries = [ENTRY], status = {}, annotations = {} } = situation;
  const base = application(entries);
  const app = { ...base, status, metadata: { ...base.metadata, annotations } };
  const expansion = expand(draftsOf(app), 'shop', clusters);
  if ('violation' in expansion) throw new Error(expansion.violation.message);
  const { selections, violations } = expansion;
  const names = new Set(owned.map(({ metadata }) => metadata.name));
  const seen = { application: app, owned, adoptable: [], complete: true, otherOwnerOf: () => undefined, clusters };
  const isTaken = (name: string): boolean => names.has(name);
  const rest = { lacksSecret: () => false, isTaken, chartOf: () => undefined, sourceOf: () => undefined };
  const timing = { unmatchedForMs: () => 1, delayMs: 0, nowMs: 0, revisions: undefined };
  return planChildren(
    { ...seen, ...rest, ...timing },
    { entries: entriesOf(app, clusters), violationOf: ({ path }) => violations.get(path), selections },
  );
}

function fleet(count: number, env = 'prod') {
  return Array.from({ length: count }, (_, index) => own(`c${String(index).padStart(3, '0')}`, { env }));
}

/** The children for a fleet, each with the UID that a server gives it. */
function childrenOf(count: number, entry = ENTRY): Child[] {
  const children = applied([], pass(inventory(fleet(count)), [], { entries: [entry] }).steps);
  return children.map((child) => ({ ...child, metadata: { ...child.metadata, uid: `uid-${child.metadata.name}` } }));
}

function whyLeaves(departures: Departures, child: Child): string | undefined {
  return departures.whyLeaves(child);
}

function removedBy({ steps }: ChildPlan): string[] {
  return ops(steps).filter((op) => op === 'delete' || op === 'suspend');
}

it.each(INHERITED)('as many may leave if the annotation with their selection says %s', (text) => {
  const selected = (annotation: string): string[] => {
    const children = childrenOf(20).map((child): Child => {
      const annotations = { ...child.metadata.annotations, [SELECTION_ANNOTATION]: annotation };
      return { ...child, metadata: { ...child.metadata, annotations } };
    });
    return removedBy(pass(inventory([...fleet(18), ...fleet(20, 'stage').slice(18)]), children));
  };
  expect(selected(text)).toEqual(selected('x'));
});

describe('a fleet', () => {
  const running = childrenOf(50);

  it('loses what no longer matches, and counts it', () => {
    const plan = pass(inventory([...fleet(50).slice(0, 45), ...fleet(50, 'stage').slice(45)]), running);
    expect(removedBy(plan)).toEqual(Array.from({ length: 5 }, () => 'delete'));
    expect(plan.departures.countAfter(plan.steps)).toEqual({
      counted: [{ until: '1970-01-01T01:05:00Z', ran: 50, removed: 5 }],
    });
  });

  it('loses what no longer matches for that reason, and what no entry specifies for the other', () => {
    const whys = (plan: ChildPlan) => plan.steps.flatMap(({ op, why }) => (op === 'keep' ? [] : [`${op}: ${why}`]));
    const [last] = running.slice(-1);
    const unlabelled = inventory([...fleet(50).slice(0, 49), ...fleet(50, 'stage').slice(49)]);
    expect(whys(pass(unlabelled, running))).toEqual(['delete: cluster c049 no longer matches']);
    expect(whyLeaves(pass(unlabelled, running).departures, last!)).toBe('cluster c049 no longer matches');
    const removed = { entries: [selecting({ env: 'prod' }, [], { releaseName: 'v2' })] };
    expect(whyLeaves(pass(inventory(fleet(50)), running, removed).departures, last!)).toMatch(
      /^no entry specifies it any more, and \S+ \(cluster c049\) specifies release v2 in namespace web instead$/,
    );
    expect(whyLeaves(pass(inventory(fleet(50).slice(0, 49)), running).departures, last!)).toBe(
      'cluster c049 is not in the inventory any more',
    );
  });

  it('is listed in a dry run with what would be removed, and with what would wait', () => {
    const changes = ({ steps }: ChildPlan) =>
      steps.flatMap((step) => {
        const change = plannedChange(step, undefined);
        return change === undefined ? [] : [`${change.action}: ${change.message ?? ''}`];
      });
    const few = inventory([...fleet(50).slice(0, 49), ...fleet(50, 'stage').slice(49)]);
    expect(changes(pass(few, running))).toEqual(['deleted: cluster c049 no longer matches']);
    const held = changes(pass(inventory(fleet(50, 'stage')), running));
    expect(held).toHaveLength(50);
    expect(held[0]).toBe(
      'held: left unchanged, because cluster c000 no longer matches, and this needs an approval: see RemovalsHeld',
    );
    expect(changes(pass(LOST, running))[0]).toBe('held: left unchanged, because cluster c000 may exist: why');
  });

  it.each<[string, ClusterView, Deploy]>([
    ['labels are removed', inventory(fleet(50, 'stage')), ENTRY],
    ['a selector is changed', inventory(fleet(50)), selecting({ env: 'prdo' })],
    ['the inventory is empty', inventory([]), ENTRY],
    ['the inventory is lost', LOST, ENTRY],
    ['a selector is emptied', inventory(fleet(50)), selecting({})],
    ['its entry releases something else', inventory(fleet(50)), selecting({ env: 'prod' }, [], { releaseName: 'v2' })],
    [
      'a selector and the release are changed',
      inventory(fleet(50)),
      selecting({ env: 'x' }, [], { releaseName: 'v2' }),
    ],
    ['a lost inventory meets another release', LOST, selecting({ env: 'prod' }, [], { releaseName: 'v2' })],
    ['its selector is removed', inventory(fleet(50)), toClusters({})],
    ['its selector is removed from a lost inventory', LOST, toClusters({})],
    [
      'its selector becomes a reference',
      inventory(fleet(50)),
      toClusters({ clusterRef: { kind: 'Secret', name: 'c000' } }),
    ],
    ['an entry is renamed, too', inventory(fleet(50)), selecting({ env: 'none' }, [], { name: 'new' })],
  ])('stays if %s', (_, clusters, entry) => {
    expect(removedBy(pass(clusters, running, { entries: [entry] }))).toEqual([]);
  });

  it.each<[string, Deploy]>([
    ['for the same release', toClusters({})],
    ['for another release', toClusters({}, { releaseName: 'v2' })],
  ])('is not installed on the host cluster instead while anything of it is held, %s', (_, host) => {
    const other = selecting({ env: 'prod' }, [], { releaseName: 'other' });
    const entries = [host, other];
    const first = (clusters: ClusterView, owned: readonly Child[]) => pass(clusters, owned, { entries }).steps[0];
    expect(first(inventory(fleet(50)), running)).toMatchObject({
      op: 'wait',
      why: expect.stringMatching(/, which is not removed yet \(.+\)$/),
    });
    expect(first(LOST, running)?.op).toBe('wait');
    expect(first(inventory(fleet(50)), [])?.op).toBe('create');
  });

  it('is removed if all that was held is approved', () => {
    const clusters = inventory(fleet(50, 'stage'));
    const removals = pass(clusters, running).departures.status([]) ?? {};
    const annotations = { 'gitops.kubesphere.io/approve-removals': removals.approval ?? '' };
    const status = { removals };
    expect(removedBy(pass(clusters, running, { annotations, status }))).toHaveLength(50);
    expect(removedBy(pass(clusters, running.slice(1), { annotations, status }))).toEqual([]);
  });

  it('says what waits, in a bounded list', () => {
    const { departures } = pass(inventory(fleet(60, 'stage')), childrenOf(60));
    expect(departures.status([])).toMatchObject({ held: 60, allowed: 12, truncated: true });
    expect(departures.status([])?.clusters).toHaveLength(50);
    const message = departures.held(application([]))?.message ?? '';
    expect(message).toMatch(/^60 releases would be removed/);
    const [only] = childrenOf(1);
    const alone = pass(inventory(fleet(1, 'stage')), [only!]).departures.held(application([]))?.message;
    expect(alone).toMatch(/^1 release would be removed/);
    // A shell takes the end of the message as it stands.
    expect(message).toMatch(
      / approve exactly these: kubectl annotate --overwrite gapp web -n shop gitops\.kubesphere\.io\/approve-removals='[a-z0-9]+'$/,
    );
    expect(message).not.toContain('another value');
    expect(message.length).toBeLessThan(1_000);
  });

  it('has no value yet that approves what only a dry run holds', () => {
    const clusters = inventory(fleet(50, 'stage'));
    const annotations = { 'gitops.kubesphere.io/dry-run': 'true' };
    const base = application([]);
    const asked = { ...base, metadata: { ...base.metadata, annotations } };
    const first = pass(clusters, running, { annotations }).departures.held(asked)?.message ?? '';
    expect(first).toMatch(/ remove the annotation gitops\.kubesphere\.io\/dry-run: RemovalsHeld then has the command/);
    expect(first).not.toContain('kubectl');
    const status = { removals: pass(clusters, running).departures.status([]) ?? {} };
    const known = pass(clusters, running, { annotations, status }).departures.held(asked)?.message;
    expect(known).toMatch(/='[a-z0-9]+'$/);
  });

  it('says that an approval is for other removals, without repeating it', () => {
    const annotations = { 'gitops.kubesphere.io/approve-removals': 'old; rm -rf' };
    const { departures } = pass(inventory(fleet(60, 'stage')), childrenOf(60), { annotations });
    const base = application([]);
    const message = departures.held({ ...base, metadata: { ...base.metadata, annotations } })?.message ?? '';
    expect(message).toContain('has another value: it approves other removals, and not these. Correct');
    expect(message).not.toContain('rm -rf');
    expect(message.length).toBeLessThan(1_000);
  });

  it('loses all that was approved, however often that is interrupted, and nothing else', () => {
    const clusters = inventory(fleet(50, 'stage'));
    const removals = pass(clusters, running).departures.status([]) ?? {};
    const annotations = { 'gitops.kubesphere.io/approve-removals': removals.approval ?? '' };
    const first = pass(clusters, running, { annotations, status: { removals } });
    // Killed after the count and some of the removals.
    const status = { removals: { ...removals, ...first.departures.countAfter(first.steps) } };
    expect(removedBy(pass(clusters, running.slice(20), { annotations, status }))).toHaveLength(30);
    const other = childrenOf(51).slice(50);
    const more = inventory(fleet(51, 'stage'));
    expect(removedBy(pass(more, [...running.slice(20), ...other], { annotations, status }))).toEqual([]);
    expect(removedBy(pass(clusters, running.slice(20), { status }))).toEqual([]);
  });

  it('loses those whose cluster is gone without an uninstall, and has them again when the cluster is back', () => {
    const clusters = inventory(fleet(50).slice(1));
    const first = pass(clusters, running);
    expect(removedBy(first)).toEqual(['suspend']);
    const suspended = applied(running, first.steps);
    const removals = first.departures.countAfter(first.steps);
    expect(removedBy(pass(clusters, suspended, { status: { removals: removals! } }))).toEqual(['delete']);
    expect(removedBy(pass(inventory(fleet(50)), suspended))).toEqual([]);
  });
});

/** The removals of children of selectors that a pass begins. */
function begunBy({ steps }: ChildPlan): number {
  return steps.filter(
    (step) =>
      (step.op === 'delete' || step.op === 'suspend') && selectionOf(step.live) !== undefined && isUntouched(step.live),
  ).length;
}

/** What somebody may make of the entry, by mistake or not. */
const EDITS: readonly Deploy[] = [
  ENTRY,
  selecting({ env: 'prdo' }),
  selecting({}),
  selecting({ env: 'prod' }, [], { releaseName: 'v2' }),
  selecting({ env: 'prdo' }, [], { releaseName: 'v2', name: 'new' }),
  selecting({ env: 'prod' }, ['c000', 'c001'], { storageNamespace: 'other' }),
  toClusters({}),
  toClusters({ clusterRef: { kind: 'Secret', name: 'c000' } }),
];

describe('passes over a changing fleet', () => {
  const SIZE = 30;
  /** Which clusters match, of those that exist; and whether the inventory is lost. */
  const moment = fc.record({
    matching: fc.array(fc.boolean(), { minLength: SIZE, maxLength: SIZE }),
    existing: fc.array(fc.boolean(), { minLength: SIZE, maxLength: SIZE }),
    isLost: fc.boolean(),
    entry: fc.constantFrom(...EDITS),
  });

  it('never remove more than the limit, and nothing while the inventory is lost', () => {
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 8 }), (moments) => {
        let children = childrenOf(SIZE);
        let removals: ApplicationStatus['removals'];
        let begun = 0;
        for (const { matching, existing, isLost, entry } of moments) {
          const all = fleet(SIZE).map((each, index) => (matching[index] === true ? each : { ...each, labels: {} }));
          const known = all.filter((_, index) => existing[index] === true);
          const lost = isLost ? { lost: ['why'], whyUnknown: () => 'why' } : {};
          const status = removals === undefined ? {} : { removals };
          const plan = pass(inventory(known, lost), children, { status, entries: [entry] });
          if (isLost) expect(removedBy(plan)).toEqual([]);
          begun += begunBy(plan);
          removals = plan.departures.countAfter(plan.steps) ?? removals;
          children = applied(children, plan.steps);
        }
        expect(begun).toBeLessThanOrEqual(10);
      }),
      { numRuns: 40 },
    );
  });
});
