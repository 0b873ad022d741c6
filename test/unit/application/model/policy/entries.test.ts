import { describe, expect, it } from '@jest/globals';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { replacedChildren } from '#controllers/application/model/clusters/replaced.js';
import { ENTRY_RULES, type EntryFacts, judge } from '#controllers/application/model/policy/policy.js';
import type { StatedEntry } from '#controllers/application/model/destinations/rejected.js';
import type { Child, Violation } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, entriesOf, indexed, NO_CLUSTERS, work, type Deploy } from '../builders.js';
import { inventory, own, toClusters } from '../clusters/builders.js';

const VIOLATION: Violation = { reason: 'ValuesInvalid', message: 'wrong' };
const PLAIN = deploy('prod', 'eu');
const [CHILD] = applied([], work(application([PLAIN])).steps) as [Child];

interface Situation extends Partial<Omit<StatedEntry, 'entry'>> {
  readonly entries?: readonly Deploy[];
  readonly gate?: Violation;
  readonly facts?: Partial<EntryFacts>;
}

const NOTHING: EntryFacts = {
  access: { violationOf: () => undefined, whyStays: () => undefined },
  others: { violations: new Map() },
  same: { violationOf: () => undefined },
  clusters: indexed(NO_CLUSTERS),
  replaced: new Map(),
};

/** The rules that reject the first entry, each alone, and the reason of the first. */
function rejected({ entries = [PLAIN], gate, facts = {}, ...more }: Situation) {
  const nothing = { live: undefined, violation: undefined, owner: undefined, candidates: [] };
  const all = entriesOf(application([...entries]), CLUSTERS).map((entry, index) => ({
    ...nothing,
    ...(index === 0 ? more : {}),
    entry: gate === undefined ? entry : { ...entry, gate: { violation: gate } },
  }));
  const known = { ...NOTHING, ...facts };
  const by = ENTRY_RULES.filter((rule) => judge([rule], all, known).some(({ entry }) => entry === all[0]?.entry));
  return { rule: by[0]?.name, reason: judge(ENTRY_RULES, all, known)[0]?.violation.reason };
}

const CLUSTERS = inventory([own('eu')], { uidOf: () => 'b' });
const ON_EU = toClusters({ clusterRef: { kind: 'Secret', name: 'eu' } });
const replacedOne = (): Child => {
  const annotations = { 'gitops.kubesphere.io/cluster-id': '/Secret/shop/eu', [CLUSTER_UID_ANNOTATION]: 'a' };
  return { ...CHILD, metadata: { ...CHILD.metadata, annotations } };
};
const CASES: readonly [string, Situation, string][] = [
  ['fields-are-invalid', { entries: [deploy('Not A Name', 'eu')], violation: VIOLATION }, 'InvalidName'],
  ['release-is-doubled', { entries: [PLAIN, PLAIN], violation: VIOLATION }, 'DuplicateDestination'],
  [
    'name-is-doubled',
    { entries: [{ ...PLAIN, name: 'a' }, deploy('test', 'eu', { name: 'a' })], violation: VIOLATION },
    'DuplicateDestination',
  ],
  ['entry-is-invalid', { violation: VIOLATION, owner: 'another' }, 'ValuesInvalid'],
  ['access-changed', { facts: { access: { ...NOTHING.access, violationOf: () => VIOLATION } } }, 'ValuesInvalid'],
  ['ready-is-invalid', { gate: VIOLATION, owner: 'another' }, 'ValuesInvalid'],
  ['target-is-taken', { facts: { same: { violationOf: () => VIOLATION } }, owner: 'another' }, 'ValuesInvalid'],
  ['release-has-another-owner', { owner: 'Application shop/other', candidates: [CHILD] }, 'ReleaseConflict'],
  ['left-behind-is-other', { leftBehind: { child: CHILD, why: 'path a -> b' } }, 'ReleaseConflict'],
  ['child-is-unclear', { candidates: [CHILD] }, 'DestinationUnclear'],
];

describe('an entry', () => {
  it.each(CASES)('%s: %j', (rule, situation, reason) => {
    expect(rejected(situation)).toEqual({ rule, reason });
  });

  it('is accepted otherwise', () => {
    expect(rejected({})).toEqual({ rule: undefined, reason: undefined });
    expect(rejected({ gate: VIOLATION, live: CHILD })).toEqual({ rule: undefined, reason: undefined });
  });

  it('is rejected on a cluster that was replaced, until that is accepted', () => {
    const seen = (annotations: Record<string, string>) => {
      const clusters = indexed(inventory([own('eu', {}, { annotations })], { uidOf: () => 'b' }));
      const live = replacedOne();
      return rejected({ entries: [ON_EU], live, facts: { clusters, replaced: replacedChildren([live], clusters) } });
    };
    expect(seen({})).toEqual({ rule: 'cluster-is-replaced', reason: 'ClusterReplaced' });
    expect(seen({ [ACCEPT_CLUSTER_UID_ANNOTATION]: 'b' })).toEqual({ rule: undefined, reason: undefined });
  });

  it('is rejected where its release is that of another name of the cluster', () => {
    const [entry] = entriesOf(application([PLAIN]), CLUSTERS);
    const stated = { entry: entry!, live: undefined, violation: undefined, owner: undefined, candidates: [] };
    const others = { violations: new Map([[entry!, VIOLATION]]) };
    expect(judge(ENTRY_RULES, [stated], { ...NOTHING, others })).toEqual([
      { entry, live: undefined, violation: VIOLATION },
    ]);
  });

  it('has a case for each rule', () => {
    const tested = [...CASES.map(([name]) => name), 'cluster-is-replaced', 'cluster-has-two-names'];
    expect(tested.sort()).toEqual(ENTRY_RULES.map(({ name }) => name).sort());
  });
});
