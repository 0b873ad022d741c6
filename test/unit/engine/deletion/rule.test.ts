import { describe, expect, it } from '@jest/globals';
import type {
  CrdFacts,
  CredentialFacts,
  DeletionFacts,
  FinalizerFacts,
  InstalledFacts,
  ObjectFacts,
  ReleaseFacts,
  SourceFacts,
} from '#engine/deletion/facts.js';
import { DELETION_RULE, mayDelete } from '#engine/deletion/rule.js';

const installed = (more: Partial<InstalledFacts> = {}): InstalledFacts => ({
  subject: 'installed',
  owner: 'living',
  policy: 'Delete',
  isSwept: false,
  hasBegun: false,
  ...more,
});

const release = (more: Partial<ReleaseFacts> = {}): ReleaseFacts => ({
  subject: 'release',
  intent: 'deleted',
  target: 'member',
  isSuspended: false,
  isOwn: true,
  ...more,
});

const object = (more: Partial<ObjectFacts> = {}): ObjectFacts => ({
  subject: 'object',
  intent: 'uninstall',
  kind: 'ConfigMap',
  isKept: false,
  marks: 'own',
  isFromCrds: false,
  ...more,
});

const crd = (more: Partial<CrdFacts> = {}): CrdFacts => ({
  subject: 'crd',
  intent: 'purge',
  isOurs: true,
  dependants: 0,
  ...more,
});

const credential = (more: Partial<CredentialFacts> = {}): CredentialFacts => ({
  subject: 'credential',
  intent: 'unused',
  isOurs: true,
  isReferred: false,
  isComplete: true,
  ...more,
});

const finalizer = (more: Partial<FinalizerFacts> = {}): FinalizerFacts => ({
  subject: 'finalizer',
  intent: 'abandon',
  isOurs: true,
  isTerminating: true,
  isAsked: true,
  ...more,
});

const source = (more: Partial<SourceFacts> = {}): SourceFacts => ({
  subject: 'source',
  isOurs: true,
  isTerminating: false,
  complete: true,
  users: 0,
  ...more,
});

const ALLOWED: [string, DeletionFacts, string][] = [
  ['what a child installed whose Application exists', installed(), 'goes'],
  ['what a plain object installed', installed({ owner: 'none' }), 'goes'],
  ['what a child of an Orphan Application installed that goes alone', installed({ policy: 'Orphan' }), 'goes'],
  ['what a child installed that goes with its namespace', installed({ isSwept: true }), 'goes'],
  ['what is half uninstalled, though its Application is gone', installed({ owner: 'lost', hasBegun: true }), 'begun'],
  [
    'what is half uninstalled when the namespace of an Orphan Application goes',
    installed({ owner: 'none', policy: 'Orphan', isSwept: true, hasBegun: true }),
    'begun',
  ],
  ['a release whose HelmRelease goes', release(), 'goes'],
  ['a release on the host whose HelmRelease goes', release({ target: 'host' }), 'goes'],
  ['an object of a release that goes', object(), 'goes'],
  ['a claim of a release that goes', object({ kind: 'PersistentVolumeClaim' }), 'goes'],
  ['a hook, whoever made it', object({ intent: 'hook', marks: 'other', isKept: true }), 'hook'],
  ['a CRD of a release that goes', object({ kind: 'CustomResourceDefinition' }), 'goes'],
  ['what only a failed revision has', object({ intent: 'revert' }), 'goes'],
  ['a claim of a Kustomization that goes', object({ intent: 'deleted', holdsData: true }), 'goes'],
  ['a namespace of a Kustomization that goes', object({ intent: 'deleted', staysAsTarget: false }), 'goes'],
  ['what force recreates', object({ intent: 'recreate' }), 'goes'],
  ['a CRD of ours that nobody depends on', crd(), 'purged'],
  ['the finalizer of a child whose cluster was given up', finalizer(), 'let-go'],
  ['a source of ours that nothing uses', source(), 'unused'],
  ['a finalizer at a purge', finalizer({ intent: 'purge', isTerminating: false }), 'let-go'],
  ['a kubeconfig that nothing refers to', credential(), 'unused'],
  ['what is in one whose grant was taken back', credential({ intent: 'revoked', isReferred: true }), 'revoked'],
];

const HELD: [string, DeletionFacts, string][] = [
  ['what a child of an unknown Application installed', installed({ owner: 'lost' }), 'lost-owner'],
  [
    'what a held child installed that goes with its namespace',
    installed({ owner: 'none', policy: 'Orphan', isSwept: true }),
    'orphan-policy',
  ],
  [
    'what a child installed whose Application became Orphan too late',
    installed({ policy: 'Orphan', isSwept: true }),
    'orphan-policy',
  ],
  ['a release of a suspended HelmRelease', release({ isSuspended: true }), 'suspended'],
  ['a release on a cluster that cannot be told', release({ target: 'unknown' }), 'unknown-target'],
  [
    'a release on an unknown cluster, by remediation',
    release({ target: 'unknown', intent: 'remediation' }),
    'unknown-target',
  ],
  ['a release on an unknown cluster, by a move', release({ target: 'unknown', intent: 'moved' }), 'unknown-target'],
  ['a release that something else made', release({ isOwn: false }), 'not-own'],
  [
    'a release that another HelmRelease may have too',
    release({ sharedWith: 'HelmRelease a/b', isSharingSure: false }),
    'maybe-shared',
  ],
  ['a release that another HelmRelease has too', release({ sharedWith: 'HelmRelease a/b' }), 'shared'],
  ['an object of another release', object({ marks: 'other' }), 'of-another'],
  ['an object that another Kustomization lists', object({ intent: 'prune', sharedWith: 'Kustomization b' }), 'shared'],
  ['an object that the manifest names and nothing marks', object({ marks: 'none' }), 'unmarked'],
  [
    'a CRD that only a failed revision has',
    object({ intent: 'revert', kind: 'CustomResourceDefinition' }),
    'crd-reverted',
  ],
  ['an object to be kept', object({ isKept: true }), 'keep'],
  ['a claim that force would recreate', object({ intent: 'recreate', holdsData: true }), 'holds-data'],
  ['the target namespace', object({ intent: 'prune', kind: 'Namespace', staysAsTarget: true }), 'target-namespace'],
  ['an object of the crds directory', object({ isFromCrds: true, kind: 'CustomResourceDefinition' }), 'crds-directory'],
  ['a CRD that is a hook', object({ intent: 'hook', kind: 'CustomResourceDefinition' }), 'crd-hook'],
  ['a CRD of somebody else', crd({ isOurs: false }), 'not-ours'],
  ['a CRD whose objects own children', crd({ dependants: 3 }), 'dependants'],
  ['the finalizer of an engine that runs', finalizer({ isOurs: false }), 'not-ours'],
  ['the finalizer of a child of a cluster that nobody gave up', finalizer({ isAsked: false }), 'not-asked'],
  ['a source of somebody else', source({ isOurs: false }), 'not-ours'],
  ['a source that goes already', source({ isTerminating: true }), 'leaving'],
  ['a source that something unknown may use', source({ complete: false }), 'incomplete-read'],
  ['a source that one other Application uses', source({ users: 1 }), 'used'],
  ['the finalizer of a child that stays', finalizer({ isTerminating: false }), 'staying'],
  ['a Secret that a tenant gave our label', credential({ isOurs: false }), 'not-ours'],
  ['what is in such a Secret', credential({ isOurs: false, intent: 'revoked' }), 'not-ours'],
  ['a kubeconfig while references may be missing', credential({ isComplete: false }), 'incomplete-read'],
  ['one while grants may be missing', credential({ isComplete: false, intent: 'revoked' }), 'incomplete-read'],
  ['one that is still needed to uninstall', credential({ isReferred: true }), 'referred'],
];

describe('may go', () => {
  it.each(ALLOWED)('%s', (_, facts, guard) => {
    expect(mayDelete(facts)).toMatchObject({ allowed: true, guard });
  });
});

describe('may not go', () => {
  it.each(HELD)('%s', (_, facts, guard) => {
    expect(mayDelete(facts)).toMatchObject({ allowed: false, guard });
  });
});

describe('the table', () => {
  it('has a tested row for every guard, and each says why', () => {
    const rows = [...ALLOWED, ...HELD];
    const tested = new Set(rows.map(([, facts]) => `${facts.subject} ${mayDelete(facts).guard}`));
    const guards = Object.entries(DELETION_RULE).flatMap(([subject, table]) =>
      table.map(({ name }) => `${subject} ${name}`),
    );
    expect([...tested].sort()).toEqual(guards.sort());
    expect(rows.filter(([, facts]) => mayDelete(facts).why === '')).toEqual([]);
  });
});
