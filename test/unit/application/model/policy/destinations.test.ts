import { describe, expect, it } from '@jest/globals';
import { APPLICATION_REVISION, APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import { DESTINATION_RULES, type DestinationFacts } from '#controllers/application/model/policy/destinations.js';
import { firstVerdict } from '#controllers/application/model/child/verdicts.js';
import { type PossibleMatches } from '#controllers/application/model/children/possible-matches.js';
import { ReleaseHolders } from '#controllers/application/model/children/release-holders.js';
import type { Child, DesiredChild, Entry } from '#controllers/application/model/child/types.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { application, applied, deploy, indexed, leaving, suspended, well, work, type Deploy } from '../builders.js';
import { inventory, own } from '../clusters/builders.js';

const ENTRY = deploy('prod', 'eu');

/** The child that a destination is to have, and has. */
function desiredOf(entry: Deploy, owned: readonly Child[] = []): DesiredChild {
  return work(application([entry]), owned).wanted[0]!;
}

const FRESH = desiredOf(ENTRY);
const CHILD = well(applied([], work(application([ENTRY])).steps)[0]!);
const SAME = desiredOf(ENTRY, [CHILD]);
const EDITED = desiredOf({ ...ENTRY, timeout: '1m' }, [CHILD]);
/** Nobody has written yet that its Application holds it, and does not own it any more; that it does not, somebody has. */
const RETIED = ((): DesiredChild => {
  const orphan = { deletionPolicy: 'Orphan' } as const;
  const entry = { ...ENTRY };
  const given = application([entry]);
  const { object } = work({ ...given, spec: { ...given.spec, ...orphan } }, [CHILD]).wanted[0]!;
  const metadata = {
    ...CHILD.metadata,
    ownerReferences: [],
    annotations: { ...CHILD.metadata.annotations, 'gitops.kubesphere.io/held-by': 'web' },
  };
  const live = { ...CHILD, metadata };
  return {
    ...desiredOf(entry, [CHILD]),
    object,
    live,
    digestOfOtherTie: CHILD.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION] ?? '',
  };
})();
const WITH_VALUES = { ...ENTRY, values: { light: { message: 'v1', period: 9 } } };
const WITHOUT_ONE = desiredOf({ ...ENTRY, values: { light: { message: 'v1' } } }, [
  well(applied([], work(application([WITH_VALUES])).steps)[0]!),
]);
const MOVED = desiredOf({ ...ENTRY, name: 'main', releaseName: 'other' }, [
  applied([], work(application([{ ...ENTRY, name: 'main' }])).steps)[0]!,
]);
const ONCE = { ...SAME, entry: { ...SAME.entry, mode: 'Once' } } as const;
const STRANGER: Child = { ...CHILD, metadata: { ...CHILD.metadata, ownerReferences: [], labels: {} } };

const on = (desired: DesiredChild, cluster: Partial<Cluster>): DesiredChild => ({
  ...desired,
  entry: { ...desired.entry, cluster: own('eu', {}, cluster) },
});
/** With the number of the revision that its child would get. */
const numbered = (desired: DesiredChild, revision: number): DesiredChild => {
  const { metadata } = desired.object;
  const annotations = { ...metadata.annotations, [APPLICATION_REVISION]: String(revision) };
  return { ...desired, object: { ...desired.object, metadata: { ...metadata, annotations } } };
};
const gated = (gate: Entry['gate']): DesiredChild => ({ ...FRESH, entry: { ...FRESH.entry, gate } });

interface Situation {
  readonly doubt?: string;
  readonly creation?: string;
  readonly move?: string;
  readonly going?: readonly Child[];
  readonly staying?: readonly Child[];
  readonly leaving?: readonly Child[];
  /** It has the release under another name of the cluster. */
  readonly beside?: Child;
  readonly kept?: string;
  /** Why the revision that the spec is could not be kept. */
  readonly unkept?: string;
  /** Its cluster was not asked yet which one it is. */
  readonly isUnasked?: boolean;
  readonly isSilent?: boolean;
  /** Another cluster with the release. */
  readonly otherName?: string;
}

function factsOf({
  doubt,
  creation,
  move,
  going = [],
  staying = [],
  leaving: there = [],
  beside,
  kept,
  unkept,
  isUnasked = false,
  isSilent = false,
  otherName,
}: Situation): DestinationFacts {
  const { cluster } = FRESH.entry.release;
  return {
    // Nothing else of it is asked.
    possibleMatches: { ofEntry: () => doubt } as unknown as PossibleMatches,
    holders: new ReleaseHolders({ going, staying }),
    heldBeside: () => beside,
    whyKept: () => kept,
    leaving: new Map([[cluster, there]]),
    departures: { heldCreation: () => creation, heldMove: () => move },
    revisions: { history: { current: 2, isKept: true, remove: [] }, pins: NO_PINS, earlier: new Map(), unkept },
    clusters: indexed({ ...inventory([own('eu')]), isUnasked: () => isUnasked, isSilent: () => isSilent }),
    otherName: () => otherName,
  };
}

const NO_PINS = { all: undefined, clusters: new Map(), digests: [], problem: undefined };
const NOT_READY = { readiness: { state: 'NotReady', message: 'no API server' } } as const;
const NO_CREDENTIAL = { credential: { type: 'none', why: 'nobody gave one' } } as const;

/** By the rule that decides: a destination, what else there is, and what becomes of it. */
const CASES: readonly [string, DesiredChild, Situation, object][] = [
  ['revision-is-held', { ...SAME, held: 'pinned' }, {}, { do: 'keep', hold: 'Release', why: 'pinned' }],
  ['revision-is-held', { ...FRESH, held: 'pinned' }, {}, { hold: 'Release', why: 'pinned' }],
  ['revision-is-held', { ...gated({ waits: 'not ready' }), held: 'pinned' }, {}, { why: 'not ready' }],
  ['child-is-being-deleted', { ...SAME, live: leaving(CHILD) }, {}, { hold: 'Release' }],
  ['may-be-another-child', FRESH, { doubt: 'waiting: it may refer to another' }, { hold: 'Release' }],
  ['replaced-child-is-there', FRESH, { creation: 'waiting: the entry is for the host cluster' }, { hold: 'Release' }],
  ['ready-is-false', gated({ waits: 'not ready' }), {}, { hold: 'Release', why: 'not ready' }],
  ['release-is-held', FRESH, { staying: [CHILD] }, { hold: 'Release' }],
  ['release-is-held', FRESH, { beside: CHILD }, { hold: 'Release' }],
  ['installed-once', ONCE, {}, { do: 'unmanage' }],
  ['neighbour-is-leaving', FRESH, { leaving: [{ ...CHILD, metadata: { name: 'other' } }] }, { hold: 'Release' }],
  ['nothing-changes', SAME, {}, { do: 'keep', why: 'unchanged' }],
  ['nothing-changes', { ...SAME, waits: 'its stage' }, {}, { do: 'keep', why: 'its stage', hold: 'Release' }],
  ['nothing-changes', on(SAME, { isPaused: true }), {}, { do: 'keep' }],
  ['cluster-is-paused', on(FRESH, { isPaused: true }), {}, { hold: 'ClusterPaused' }],
  ['cluster-is-paused', on(EDITED, { isPaused: true }), {}, { hold: 'ClusterPaused' }],
  ['cluster-is-paused', on(RETIED, { isPaused: true }), {}, { do: 'keep', why: expect.stringContaining('owner') }],
  [
    'cluster-is-paused',
    on({ ...RETIED, digestOfOtherTie: 'other' }, { isPaused: true }),
    {},
    { hold: 'ClusterPaused' },
  ],
  ['credential-is-missing', on(FRESH, NO_CREDENTIAL), {}, { hold: 'Credential' }],
  [
    'cluster-is-not-ready',
    on(FRESH, NOT_READY),
    {},
    { hold: 'ClusterNotReady', why: expect.stringContaining(': no API') },
  ],
  [
    'cluster-is-not-asked',
    on(FRESH, {}),
    { isUnasked: true },
    { hold: 'Release', why: expect.stringContaining('eu has not been asked yet') },
  ],
  [
    'cluster-does-not-answer',
    on(FRESH, {}),
    { isSilent: true, otherName: 'us' },
    { hold: 'Release', why: expect.stringContaining('until cluster eu answers: it may be another name of cluster us') },
  ],
  ['reinstallation-takes-another', MOVED, { kept: 'another has it' }, { hold: 'Removal', why: 'another has it' }],
  ['reinstallation-is-held', MOVED, { move: 'because it needs an approval' }, { hold: 'Removal' }],
  ['revision-is-not-kept', numbered(FRESH, 2), { unkept: 'quota' }, { hold: 'Release' }],
  ['revision-is-not-kept', numbered(EDITED, 2), { unkept: 'quota' }, { why: 'revision 2 cannot be kept' }],
  ['nothing-changes', numbered(SAME, 2), { unkept: 'quota' }, { do: 'keep' }],
  ['changed', numbered(EDITED, 1), { unkept: 'quota' }, { do: 'update' }],
  ['changed', numbered(EDITED, 2), {}, { do: 'update' }],
  ['changed', EDITED, { kept: 'another has it', beside: CHILD }, { do: 'update', why: 'changed timeout' }],
  ['changed', WITHOUT_ONE, {}, { do: 'update', why: 'changed values.light.period' }],
  ['changed', on(EDITED, NOT_READY), {}, { do: 'update' }],
  ['changed', on(EDITED, {}), { isUnasked: true }, { do: 'update' }],
  ['changed', on(EDITED, {}), { isSilent: true, otherName: 'us' }, { do: 'update' }],
  ['changed', on(EDITED, NO_CREDENTIAL), {}, { do: 'update' }],
  ['changed', { ...SAME, live: suspended(CHILD) }, {}, { do: 'update', why: 'needed again' }],
  ['changed', { ...SAME, live: STRANGER }, {}, { do: 'adopt', why: 'taken over' }],
  ['changed', { ...ONCE, live: STRANGER }, {}, { do: 'adopt' }],
  ['changed', MOVED, {}, { do: 'reinstall' }],
  ['new', FRESH, {}, { do: 'create', why: 'new destination' }],
  ['new', on(FRESH, {}), { isSilent: true }, { do: 'create' }],
  ['new', on(FRESH, { readiness: { state: 'Unknown', message: 'no condition' } }), {}, { do: 'create' }],
  ['new', on(FRESH, { ...NOT_READY, isHost: true }), {}, { do: 'create' }],
  ['new', on({ ...FRESH, entry: { ...FRESH.entry, ready: 'true' } }, NOT_READY), {}, { do: 'create' }],
];

describe('a destination whose entry is accepted', () => {
  it.each(CASES)('%s: %#', (name, desired, situation, verdict) => {
    const facts = factsOf(situation);
    expect(DESTINATION_RULES.find((each) => each.of(desired, facts) !== undefined)?.name).toBe(name);
    expect(firstVerdict(DESTINATION_RULES, desired, facts)).toMatchObject(verdict);
  });

  it('has a case for each rule', () => {
    expect([...new Set(CASES.map(([name]) => name))]).toEqual(DESTINATION_RULES.map(({ name }) => name));
  });
});
