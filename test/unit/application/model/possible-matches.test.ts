import { describe, expect, it } from '@jest/globals';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import {
  PossibleMatches,
  type PossibleMatchesInput,
} from '#controllers/application/model/children/possible-matches.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, entriesOf, leaving, work } from './builders.js';

const app = application([deploy('prod', 'eu-prd')]);
const [entry] = entriesOf(app);
const wanted: Entry = entry!;
const [made] = applied([], work(application([deploy('prod', 'eu')])).steps);
const child: Child = made!;

function doubts(more: Partial<PossibleMatchesInput> = {}): PossibleMatches {
  return new PossibleMatches({
    desired: [desiredChild(app, wanted, undefined)],
    rejected: [],
    unmatched: [child],
    lacksSecret: () => true,
    legacyMayGo: false,
    isSelected: () => false,
    ...more,
  });
}

const VIOLATION = { reason: 'ChartMissing', message: 'no chart' } as const;
const REJECTED = { entry: wanted, live: undefined, violation: VIOLATION };
const CONFLICT = { ...REJECTED, violation: { ...VIOLATION, reason: 'ReleaseConflict' } } as const;

const givenUp = (isGiven: boolean) => new Map([[child, { name: 'b', uid: 'uid-b', gives: () => isGiven }]]);

describe('a child that no entry has', () => {
  it.each<[string, Partial<PossibleMatchesInput>, string | undefined]>([
    ['a new entry whose Secret does not exist', {}, `${wanted.path} refers to a Secret that does not exist`],
    ['no new entry whose Secret exists', { lacksSecret: () => false }, undefined],
    ['no entry that has a child', { desired: [desiredChild(app, wanted, child)] }, undefined],
    ['a rejected entry without a child', { desired: [], rejected: [REJECTED] }, `${wanted.path} is rejected`],
    ['an entry whose release another one has', { desired: [], rejected: [CONFLICT] }, `${wanted.path} is rejected`],
    [
      'such an entry, if another Application is to have the child and keeps the release',
      { desired: [], rejected: [CONFLICT], successors: givenUp(false) },
      `${wanted.path} is rejected`,
    ],
    [
      'no such entry, if the release is that of the Application that is to have the child, and is given up',
      { desired: [], rejected: [CONFLICT], successors: givenUp(true) },
      undefined,
    ],
    [
      'an entry that is rejected for another reason, whoever is to have the child',
      { desired: [], rejected: [CONFLICT, REJECTED], successors: givenUp(true) },
      `${wanted.path} is rejected`,
    ],
    ['no rejected entry whose child is known', { desired: [], rejected: [{ ...REJECTED, live: child }] }, undefined],
  ])('may be meant by %s', (_, more, expected) => {
    const found = doubts(more);
    expect(found.rejectedFor(child) ?? found.otherFor(child)).toBe(expected);
  });
});

describe('a new entry whose Secret does not exist', () => {
  it('waits as long as it may refer to a child', () => {
    expect(doubts().ofEntry(wanted)).toBe(`waiting: it may refer to HelmRelease shop/${child.metadata.name}`);
    expect(doubts({ unmatched: [leaving(child)] }).ofEntry(wanted)).toBeUndefined();
    expect(doubts({ unmatched: [] }).ofEntry(wanted)).toBeUndefined();
  });
});
