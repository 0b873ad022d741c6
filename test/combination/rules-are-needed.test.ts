import { describe, expect, it } from '@jest/globals';
import type { Policy } from '#controllers/application/model/policy/policy.js';
import { ALL, play } from './story/play.js';
import { readStory, storedNames } from './story/stored.js';
import { type RuleOfPolicy, rulesOfPolicy, watchedPolicy, withoutRule } from './story/without-rule.js';

/** A rule, the stored story that goes wrong without it, and the invariant that it then breaks. */
type Row = readonly [rule: string, story: string, invariant: string];

/** `stories.test.ts` plays the same stories with the whole policy. */
const NEEDED: Readonly<Record<keyof Policy, readonly Row[]>> = {
  entries: [
    ['fields-are-invalid', 'entry-without-a-destination-removes-nothing', 'only-unwanted-goes'],
    ['release-is-doubled', 'release-of-two-entries-waits', 'only-allowed-runs'],
    ['name-is-doubled', 'name-of-two-entries-waits', 'only-allowed-runs'],
    ['entry-is-invalid', 'values-without-their-label-wait', 'only-allowed-runs'],
    ['access-changed', 'cluster-that-is-reached-otherwise-waits', 'no-credential-gets-nothing'],
    ['cluster-has-two-names', 'accepted-cluster-has-another-name', 'only-allowed-runs'],
    ['cluster-is-replaced', 'replaced-cluster-gets-no-new-entry', 'replaced-gets-nothing'],
    ['ready-is-invalid', 'ready-that-is-a-text-waits', 'only-allowed-runs'],
    ['target-is-taken', 'files-of-a-user-are-not-applied-twice', 'only-allowed-runs'],
    ['release-has-another-owner', 'release-of-an-older-application-stays', 'only-allowed-runs'],
    ['left-behind-is-other', 'left-behind-release-keeps-its-chart', 'only-allowed-runs'],
    ['child-is-unclear', 'files-of-two-new-entries-stay', 'only-unwanted-goes'],
  ],
  destinations: [
    ['revision-is-held', 'dry-run-of-an-abort-rests', 'only-allowed-runs'],
    ['child-is-being-deleted', 'child-that-is-deleted-gets-nothing', 'leaving-gets-nothing'],
    ['may-be-another-child', 'missing-secret-removes-nothing', 'only-unwanted-goes'],
    ['replaced-child-is-there', 'entry-without-its-selector-waits', 'only-allowed-runs'],
    ['ready-is-false', 'ready-that-is-false-waits', 'only-allowed-runs'],
    ['release-is-held', 'files-wait-for-their-old-name', 'status-is-true'],
    ['installed-once', 'installed-once-survives-an-outage', 'only-allowed-runs'],
    ['nothing-changes', 'paused-cluster-without-changes-is-not-pending', 'only-changes-wait'],
    ['cluster-is-paused', 'paused-cluster-gets-no-update', 'only-allowed-runs'],
    ['credential-is-missing', 'cluster-without-a-credential-waits', 'no-credential-gets-nothing'],
    ['cluster-is-not-ready', 'cluster-that-is-not-ready-gets-nothing-new', 'only-allowed-runs'],
    ['cluster-is-not-asked', 'restart-installs-no-second-name', 'only-allowed-runs'],
    ['cluster-does-not-answer', 'outage-installs-no-second-name', 'only-allowed-runs'],
    ['reinstallation-takes-another', 'two-names-with-one-release-and-one-moves', 'names-of-one-cluster'],
    ['reinstallation-is-held', 'move-of-a-selector-waits', 'removals-are-guarded'],
    ['revision-is-not-kept', 'revision-that-cannot-be-kept-waits', 'only-allowed-runs'],
    ['changed', 'rolled-out-with-unreachable', 'wanted-comes'],
    ['new', 'rolled-out-with-unreachable', 'wanted-comes'],
  ],
  leftovers: [
    ['is-being-deleted', 'removal-without-a-kubeconfig-is-asked-once', 'settles'],
    ['entry-is-in-doubt', 'unknown-cluster-removes-nothing', 'only-unwanted-goes'],
    ['access-changed', 'cluster-that-is-reached-otherwise-waits', 'only-unwanted-goes'],
    ['cluster-is-unsettled', 'new-name-of-a-cluster-uninstalls-nothing', 'names-of-one-cluster'],
    ['replacement-is-held', 'old-release-waits-for-the-end-of-a-pin', 'old-release-stays'],
    ['cluster-is-out-of-reach', 'paused-cluster-loses-nothing', 'only-unwanted-goes'],
    ['removal-is-held', 'cluster-that-stops-matching-keeps-its-release-a-while', 'removals-are-guarded'],
    ['release-stays', 'orphan-stays-where-no-selector-matches', 'only-unwanted-goes'],
    ['was-installed-once', 'installed-once-stays-without-its-entry', 'only-unwanted-goes'],
    ['is-of-ks-devops', 'child-of-ks-devops-stays', 'only-unwanted-goes'],
    ['release-is-shared', 'new-name-of-a-cluster-uninstalls-nothing', 'names-of-one-cluster'],
    ['release-is-handed-over', 'label-moves-a-release-to-another-application', 'releases-are-handed-over'],
    ['unwanted', 'removed-entry-is-uninstalled', 'unwanted-goes'],
  ],
  deletions: [
    ['is-being-deleted', 'deletion-without-a-kubeconfig-is-asked-once', 'settles'],
    ['cluster-was-replaced', 'deletion-waits-for-a-replaced-cluster', 'replaced-is-waited-for'],
    ['was-installed-once', 'installed-once-stays-without-its-application', 'only-unwanted-goes'],
    ['application-is-deleted', 'deleted-application-is-uninstalled', 'unwanted-goes'],
  ],
};

/** Rules without a story, each with its reason. */
const EXEMPT: Readonly<Record<keyof Policy, Readonly<Record<string, string>>>> = {
  entries: {},
  destinations: {
    'neighbour-is-leaving':
      'no story found: what a new entry replaces is awaited already, and other neighbours share no objects in memory',
  },
  leftovers: {
    'list-is-incomplete': 'redundant: no pass begins before the caches of children are synced, and they stay so',
    'release-is-unsettled': 'no story found: it decides which of two unwanted children uninstalls, and when',
    'cluster-is-not-updated-yet': 'wording: replacement-is-held keeps the same children, and does not name the rollout',
  },
  deletions: {
    'policy-is-orphan': 'no story: only a preview asks it, since the controller orphans its children before it decides',
  },
};

const textOf = ({ list, rule }: RuleOfPolicy): string => `${list}/${rule}`;

function exemptRules(): RuleOfPolicy[] {
  const lists = Object.keys(EXEMPT) as (keyof Policy)[]; // the literal has no other keys
  return lists.flatMap((list) => Object.keys(EXEMPT[list]).map((rule) => ({ list, rule })));
}

const ROWS = Object.entries(NEEDED).flatMap(([list, rows]) =>
  rows.map((row) => [list as keyof Policy, ...row] as const),
);

it('has a story or an exemption for each rule', () => {
  const listed = [...ROWS.map(([list, rule]) => ({ list, rule })), ...exemptRules()].map(textOf);
  expect([...listed].sort()).toEqual(rulesOfPolicy().map(textOf).sort());
});

describe('without the rule', () => {
  it.each(ROWS)('%s/%s, the story "%s" breaks %s', async (list, rule, name, invariant) => {
    const story = readStory(name);
    const { findings, world } = await play(story, { invariants: ALL, policy: withoutRule({ list, rule }) });
    expect(story.knownFailure).not.toBe(invariant);
    expect(world.bugs).toEqual([]);
    expect(findings.map((each) => each.invariant)).toContain(invariant);
  });
});

/** The exempt rules that decide something in a story. */
async function exemptIn(name: string): Promise<RuleOfPolicy[]> {
  const decided = new Set<string>();
  const policy = watchedPolicy((each) => decided.add(textOf(each)));
  await play(readStory(name), { invariants: [], policy });
  return exemptRules().filter((each) => decided.has(textOf(each)));
}

it('exempts no rule without which a stored story goes wrong', async () => {
  const found: string[] = [];
  for (const name of storedNames()) {
    const { knownFailure } = readStory(name);
    for (const each of await exemptIn(name)) {
      const { findings } = await play(readStory(name), { invariants: ALL, policy: withoutRule(each) });
      const news = findings.filter(({ invariant }) => invariant !== knownFailure);
      found.push(...news.map(({ invariant }) => `${textOf(each)}: ${name} breaks ${invariant}`));
    }
  }
  expect(found).toEqual([]);
}, 600_000);
