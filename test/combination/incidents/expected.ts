import {
  comesAfter,
  countsStage,
  hasRows,
  hasValues,
  isUntouched,
  keepsChildren,
  keepsReleases,
  neverHadValue,
  neverHadVersion,
  reports,
  runsVersions,
  waits,
} from './checks.js';
import type { Facts } from './facts.js';

/** Returns what is wrong at a moment; `at` has the facts of an earlier one. */
export type Expectation = (now: Facts, at: (moment: string) => Facts) => readonly string[];

const READY = { Ready: ['True', 'AllReady'] } as const;
const ROLLED_OUT = { ...READY, RolledOut: ['True', 'RolledOut'] } as const;
const AWAITS_APPROVAL = ['False', 'RolloutAwaitingApproval'] as const;
const ONE = '1.0.0';
const TWO = '2.0.0';
const [C1, C2, C3, C4] = ['phys-1', 'phys-2', 'phys-3', 'phys-4'] as const;
const all = (version: string) => ({ [C1]: version, [C2]: version, [C3]: version });
/** The bake time of the story, less the second to which times in a status are rounded. */
const BAKE_MS = 11_000;

/** One Application hands a cluster over to another one. */
const MOVED: Readonly<Record<string, Expectation>> = {
  installed: (now) => runsVersions(now, { [C1]: ONE, [C2]: ONE }),
  moved: (now, at) => [
    ...hasValues(now, { [C1]: { color: 'blue' }, [C2]: { color: 'red' } }),
    ...hasRows(now, ['c2'], 'a'),
    ...hasRows(now, ['c1'], 'b'),
    ...reports(now, READY, 'a'),
    ...reports(now, READY, 'b'),
    ...keepsReleases(at('installed'), now),
  ],
};

/** Expectations at the moments of each incident, besides the invariants of all stories. */
export const EXPECTED: Readonly<Record<string, Readonly<Record<string, Expectation>>>> = {
  'selector-that-matches-nothing': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, READY)],
    mistaken: (now, at) => [
      ...isUntouched(at('installed'), now),
      ...keepsChildren(at('installed'), now),
      ...reports(now, { Ready: ['False', 'NoClusterMatches'], RemovalsHeld: ['True', 'ApprovalRequired'] }),
      ...waits(now, { c1: 'Removal', c2: 'Removal', c3: 'Removal' }),
    ],
    corrected: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...hasValues(now, { [C1]: { color: 'blue' }, [C2]: { color: 'blue' }, [C3]: { color: 'blue' } }),
      ...reports(now, { ...READY, RemovalsHeld: undefined }),
    ],
  },
  'all-clusters-leave-the-inventory': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, READY)],
    lost: (now, at) => [
      ...isUntouched(at('installed'), now),
      ...reports(now, { Ready: ['False', 'DestinationsFailed'], RemovalsHeld: ['True', 'ApprovalRequired'] }),
      ...waits(now, { c1: 'Removal', c2: 'Removal', c3: 'Removal' }),
    ],
    back: (now, at) => [
      ...isUntouched(at('installed'), now),
      ...keepsChildren(at('installed'), now),
      ...reports(now, { ...READY, RemovalsHeld: undefined }),
    ],
  },
  'later-stage-does-not-overtake': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, ROLLED_OUT)],
    'out of reach': (now, at) => [
      ...isUntouched(at('installed'), now),
      ...reports(now, { RolledOut: ['False', 'RolloutProgressing'] }),
      ...countsStage(now, 'dev', { total: 1, unreachable: 1 }),
      ...waits(now, { c1: 'Unreachable', c2: 'Stage', c3: 'Stage' }),
    ],
    updated: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...comesAfter(now, TWO, { first: C1, second: C2 }),
      ...comesAfter(now, TWO, { first: C2, second: C3 }),
      ...reports(now, ROLLED_OUT),
    ],
  },
  'clusters-come-and-go-in-a-rollout': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, ROLLED_OUT)],
    'canary updated': (now) => [
      ...runsVersions(now, { ...all(ONE), [C1]: TWO }),
      ...waits(now, { c2: 'Approval', c3: 'Approval' }),
    ],
    'other clusters': (now, at) => [
      ...isUntouched(at('canary updated'), now),
      ...reports(now, { RolledOut: AWAITS_APPROVAL }),
      ...waits(now, { c2: 'Approval', c4: 'Approval' }),
      ...hasRows(now, ['c1', 'c2', 'c4']),
    ],
    approved: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...runsVersions(now, { [C1]: TWO, [C2]: TWO, [C3]: ONE, [C4]: TWO }),
      ...neverHadVersion(now, C4, ONE),
      ...countsStage(now, 'rest', { total: 2, ready: 2 }),
      ...reports(now, ROLLED_OUT),
    ],
  },
  'cluster-that-no-stage-selects': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, ROLLED_OUT)],
    updated: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...comesAfter(now, TWO, { first: C1, second: C2 }),
      ...comesAfter(now, TWO, { first: C2, second: C3 }),
      ...countsStage(now, 'rest', { total: 1, ready: 1 }),
      ...reports(now, ROLLED_OUT),
    ],
  },
  'cluster-has-no-label-yet': {
    installed: (now) => [
      ...runsVersions(now, { [C1]: ONE, [C2]: ONE }),
      ...reports(now, { RolledOut: AWAITS_APPROVAL }),
      ...countsStage(now, 'rest', { total: 1, waiting: 1 }),
      ...waits(now, { c3: 'Approval' }),
    ],
    labelled: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...runsVersions(now, all(ONE)),
      ...countsStage(now, 'edge', { total: 2, ready: 2 }),
      ...reports(now, ROLLED_OUT),
    ],
    updated: (now, at) => [
      ...keepsReleases(at('labelled'), now),
      ...comesAfter(now, TWO, { first: C1, second: C2 }),
      ...comesAfter(now, TWO, { first: C1, second: C3 }),
      ...reports(now, ROLLED_OUT),
    ],
  },
  'overrides-go-with-their-destination': {
    'scaled down': (now) => [
      ...hasValues(now, { [C1]: { replicas: 0 }, [C2]: { replicas: 0 } }),
      ...reports(now, READY),
    ],
    'one removed': (now) => [
      ...runsVersions(now, { [C2]: ONE }),
      ...neverHadValue(now, 'replicas', 3),
      ...hasRows(now, ['c2']),
      ...reports(now, READY),
    ],
    'all removed': (now) => [...runsVersions(now, {}), ...neverHadValue(now, 'replicas', 3)],
  },
  'label-of-a-cluster-is-removed': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, READY)],
    left: (now, at) => [
      ...keepsReleases(
        { ...at('installed'), releases: at('installed').releases.filter(({ cluster }) => cluster !== C3) },
        now,
      ),
      ...runsVersions(now, { [C1]: ONE, [C2]: ONE }),
      ...hasRows(now, ['c1', 'c2']),
      ...reports(now, READY),
    ],
  },
  'label-moves-a-cluster-that-is-orphaned': MOVED,
  'label-moves-a-cluster-to-another-application': MOVED,
  'paused-cluster-holds-nobody': {
    installed: (now) => [...runsVersions(now, all(ONE)), ...reports(now, ROLLED_OUT)],
    updated: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...runsVersions(now, { [C1]: ONE, [C2]: TWO, [C3]: TWO }),
      ...waits(now, { c1: 'ClusterPaused' }),
      ...countsStage(now, 'rest', { total: 3, ready: 2, left: 1 }),
    ],
    resumed: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...runsVersions(now, all(TWO)),
      ...reports(now, ROLLED_OUT),
    ],
  },
  'soak-time-of-an-update': {
    installed: (now) => [
      ...comesAfter(now, ONE, { first: C1, second: C2, leastMs: BAKE_MS }),
      ...reports(now, ROLLED_OUT),
    ],
    baking: (now) => [
      ...runsVersions(now, { ...all(ONE), [C1]: TWO }),
      ...reports(now, { RolledOut: ['False', 'RolloutProgressing'] }),
      ...waits(now, { c2: 'Bake', c3: 'Bake' }),
    ],
    updated: (now, at) => [
      ...keepsReleases(at('installed'), now),
      ...comesAfter(now, TWO, { first: C1, second: C2, leastMs: BAKE_MS }),
      ...comesAfter(now, TWO, { first: C1, second: C3, leastMs: BAKE_MS }),
      ...reports(now, ROLLED_OUT),
    ],
  },
  'template-that-is-not-found': {
    installed: (now) => [...runsVersions(now, { [C1]: ONE, [C2]: ONE }), ...reports(now, READY)],
    'not found': (now, at) => [
      ...isUntouched(at('installed'), now),
      ...keepsChildren(at('installed'), now),
      ...reports(now, { Ready: ['False', 'TemplateNotFound'] }),
      ...hasRows(now, ['c1', 'c2']),
    ],
    corrected: (now, at) => [...isUntouched(at('installed'), now), ...reports(now, READY)],
  },
};
