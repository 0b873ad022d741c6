import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INSTALLED_ONCE_ANNOTATION } from '#api/v1alpha1/labels.js';
import { LEFTOVER_RULES, type LeftoverFacts } from '#controllers/application/model/policy/leftovers.js';
import { firstVerdict, type Verdict } from '#controllers/application/model/child/verdicts.js';
import type { PossibleMatches } from '#controllers/application/model/children/possible-matches.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { workText } from '#controllers/application/model/destinations/identity.js';
import { application, applied, deploy, leaving, legacyChild, suspended, work } from '../builders.js';

const CHILD: Child = applied([], work(application([deploy('prod', 'eu')])).steps)[0]!;
const LEGACY = legacyChild('old', 'eu-prod', { targetNamespace: 'prod' });
const annotations = { ...CHILD.metadata.annotations, [INSTALLED_ONCE_ANNOTATION]: '1.0.0' };
const ONCE: Child = { ...CHILD, metadata: { ...CHILD.metadata, annotations } };

interface Situation extends Partial<Omit<LeftoverFacts, 'departures' | 'access' | 'possibleMatches'>> {
  readonly child?: Child;
  /** A rejected entry that may refer to it, and another one. */
  readonly doubt?: string;
  readonly lacking?: string;
  readonly access?: string;
  readonly spared?: string;
  readonly removal?: string;
  readonly releaseStays?: string;
  readonly handover?: Verdict;
  readonly whyLeaves?: string;
}

function factsOf(situation: Situation): LeftoverFacts {
  const { doubt, lacking, access, spared, removal, releaseStays, handover, whyLeaves, ...facts } = situation;
  // Nothing else of it is asked.
  const possibleMatches = { rejectedFor: () => doubt, otherFor: () => lacking } as unknown as PossibleMatches;
  return {
    complete: true,
    legacyMayGo: false,
    possibleMatches,
    access: { whyStays: () => access },
    unsettled: new Map(),
    whyStaged: () => undefined,
    held: new Map(),
    departures: {
      whySpared: () => spared,
      heldMove: () => removal,
      releaseStays: () => releaseStays,
      handover: () => handover,
      whyLeaves: () => whyLeaves,
    },
    stayingByWork: new Map(),
    whyDelayed: () => undefined,
    keeperOf: () => undefined,
    ...facts,
  };
}

function decided(situation: Situation) {
  const { child = CHILD } = situation;
  const facts = factsOf(situation);
  const rule = LEFTOVER_RULES.find((each) => each.of(child, facts) !== undefined);
  return { rule: rule?.name, verdict: firstVerdict(LEFTOVER_RULES, child, facts) };
}

const held = (why: string) => {
  const { cluster } = work(application([deploy('prod', 'eu')])).wanted[0]!.entry.release;
  return new Map([[cluster, why]]);
};

const OFFER = { do: 'offer', to: 'uid-2', why: 'until b takes it over', hold: 'Removal' } as const;

/** By the rule that decides: a situation, and what becomes of the child. */
const CASES: readonly [string, Situation, object][] = [
  ['is-being-deleted', { child: leaving(CHILD), complete: false }, { do: 'keep' }],
  ['list-is-incomplete', { complete: false }, { do: 'keep', why: 'the list of children may be incomplete' }],
  [
    'entry-is-in-doubt',
    { doubt: 'deploy[3] is rejected' },
    { do: 'keep', hold: 'Removal', why: 'deploy[3] is rejected and may refer to it' },
  ],
  [
    'entry-is-in-doubt',
    { lacking: 'deploy[3] refers to a Secret that does not exist', keeperOf: () => 'deploy[1] on us' },
    { do: 'keep', hold: 'Removal' },
  ],
  ['access-changed', { access: 'as the host' }, { do: 'keep', hold: 'Removal' }],
  ['cluster-is-unsettled', { unsettled: new Map([[CHILD, 'replaced']]) }, { do: 'keep', hold: 'Removal' }],
  ['cluster-is-not-updated-yet', { whyStaged: () => 'its stage' }, { do: 'keep', hold: 'Removal' }],
  ['replacement-is-held', { held: held('pinned') }, { do: 'keep', hold: 'Removal', why: 'pinned' }],
  ['cluster-is-out-of-reach', { spared: 'paused' }, { do: 'keep', hold: 'Removal' }],
  ['removal-is-held', { removal: 'too many' }, { do: 'keep', hold: 'Removal', why: 'too many' }],
  ['release-stays', { releaseStays: 'its cluster is gone' }, { do: 'suspend' }],
  ['was-installed-once', { child: ONCE }, { do: 'suspend' }],
  ['is-of-ks-devops', { child: LEGACY }, { do: 'keep' }],
  [
    'release-is-shared',
    { stayingByWork: new Map([[workText(CHILD), { ...CHILD, metadata: { name: 'twin', namespace: 'shop' } }]]) },
    { do: 'suspend', why: 'HelmRelease shop/twin keeps what it installed, so it is deleted without an uninstall' },
  ],
  ['release-is-shared', { keeperOf: () => 'deploy[1] on us' }, { do: 'suspend' }],
  ['release-is-shared', { keeperOf: () => 'deploy[1] on us', doubt: 'deploy[3] is rejected' }, { do: 'suspend' }],
  [
    'release-is-unsettled',
    { whyDelayed: () => 'until x is gone' },
    { do: 'keep', hold: 'Removal', why: 'until x is gone' },
  ],
  ['release-is-handed-over', { handover: OFFER }, { do: 'offer', to: 'uid-2' }],
  ['release-stays', { handover: OFFER, releaseStays: 'its policy is Orphan' }, { do: 'suspend' }],
  ['unwanted', {}, { do: 'delete', why: 'no entry specifies it any more' }],
  ['unwanted', { whyLeaves: 'cluster eu no longer matches' }, { do: 'delete', why: 'cluster eu no longer matches' }],
  ['unwanted', { child: suspended(CHILD), releaseStays: 'its cluster is gone' }, { do: 'delete' }],
  ['unwanted', { child: suspended(CHILD), keeperOf: () => 'deploy[1] on us' }, { do: 'delete' }],
  ['unwanted', { child: suspended(ONCE) }, { do: 'delete' }],
  ['unwanted', { child: LEGACY, legacyMayGo: true }, { do: 'delete' }],
];

describe('a child that no entry matches', () => {
  it.each(CASES)('%s: %j', (rule, situation, verdict) => {
    expect(decided(situation)).toMatchObject({ rule, verdict });
  });

  it('has a case for each rule', () => {
    expect([...new Set(CASES.map(([name]) => name))]).toEqual(LEFTOVER_RULES.map(({ name }) => name));
  });

  it('is never removed while anything speaks for it, whatever else is so', () => {
    const all = [CHILD, ONCE, suspended(CHILD)];
    const reasons: readonly Situation[] = [
      { complete: false },
      { doubt: 'doubt' },
      { access: 'access' },
      { spared: 'spared' },
      { removal: 'removal' },
      { held: held('held') },
      { whyStaged: () => 'staged' },
      { unsettled: new Map(all.map((child) => [child, 'unsettled'])) },
    ];
    const children = fc.constantFrom(...all);
    const others = fc.constantFrom<Situation>({}, { releaseStays: 'stays' }, { keeperOf: () => 'deploy[1]' });
    fc.assert(
      fc.property(children, others, fc.subarray([...reasons]), (child, other, given) => {
        const { verdict } = decided(Object.assign({ child }, other, ...given) as Situation);
        const isRemoved = verdict !== undefined && 'do' in verdict && verdict.do !== 'keep';
        // One that has its release under another name leaves nothing for an entry that may refer to it.
        const isKept = given.some((each) => each.doubt === undefined || other.keeperOf === undefined);
        expect(isRemoved).toBe(!isKept);
      }),
    );
  });
});
