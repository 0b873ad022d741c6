import { CREDENTIAL } from './credential-guards.js';
import type {
  CrdFacts,
  DeletionFacts,
  FinalizerFacts,
  Guard,
  InstalledFacts,
  ObjectFacts,
  ReleaseFacts,
} from './facts.js';
import { SOURCE } from './source-guards.js';

/** Decide whether what a HelmRelease or Kustomization installed is removed with that object. */
const INSTALLED: readonly Guard<InstalledFacts>[] = [
  {
    name: 'begun',
    applies: ({ hasBegun }) => hasBegun,
    allowed: true,
    why: () => 'the engine has already tried to uninstall it',
    meaning: 'the engine has already tried to uninstall it, and reported why that failed',
  },
  {
    name: 'orphan-policy',
    applies: ({ policy, isSwept }) => policy === 'Orphan' && isSwept,
    allowed: false,
    why: () => 'the deletion policy of its Application is Orphan',
    meaning:
      'the policy of its Application is or was `Orphan`, and its namespace is being deleted, or its Application that still owns it',
  },
  {
    name: 'lost-owner',
    applies: ({ owner }) => owner === 'lost',
    allowed: false,
    why: () => 'its owner references name an Application that does not exist, as after the restore of a backup',
    meaning:
      'no Application with a UID of its owner references exists, as after the restore of a backup: Kubernetes deletes such an object',
  },
  {
    name: 'goes',
    applies: () => true,
    allowed: true,
    why: () => 'its HelmRelease or Kustomization is being deleted',
    meaning: 'its HelmRelease or Kustomization is deleted for another reason',
  },
];

/** May it go, by which row of the table, and why (a text for people). */
export interface Decision {
  readonly allowed: boolean;
  readonly guard: string;
  readonly why: string;
}

const always = (): boolean => true;

const RELEASE_GOES: Readonly<Record<ReleaseFacts['intent'], string>> = {
  deleted: 'its HelmRelease is being deleted',
  moved: 'it moves to another place',
  remediation: 'remediation uninstalls it',
};

const RELEASE: readonly Guard<ReleaseFacts>[] = [
  {
    name: 'suspended',
    applies: ({ isSuspended }) => isSuspended,
    allowed: false,
    why: () => 'its HelmRelease is suspended: what runs is left unchanged',
    meaning: 'its HelmRelease is suspended',
  },
  {
    name: 'unknown-target',
    applies: ({ target }) => target === 'unknown',
    allowed: false,
    why: () => 'its HelmRelease does not say which cluster it runs on',
    meaning: 'the reference to its cluster is invalid; the host is never used instead',
  },
  {
    name: 'not-own',
    applies: ({ isOwn }) => !isOwn,
    allowed: false,
    why: () => 'its HelmRelease did not create it',
    meaning: "somebody else created it, according to Helm's storage or the status",
  },
  {
    name: 'maybe-shared',
    applies: ({ sharedWith, isSharingSure }) => sharedWith !== undefined && isSharingSure === false,
    allowed: false,
    why: ({ sharedWith = '' }) =>
      `${sharedWith} may be on the same cluster and apply the same objects, and its record there cannot be read or names nobody`,
    meaning:
      'another HelmRelease, which is not being deleted, has a release of this name in the same namespace of a cluster that may be the same one',
  },
  {
    name: 'shared',
    applies: ({ sharedWith }) => sharedWith !== undefined,
    allowed: false,
    why: ({ sharedWith = '' }) => `${sharedWith} applies the same objects, and has a record of its own`,
    meaning: 'another HelmRelease, which is not being deleted, has a release of this name in the same namespace too',
  },
  {
    name: 'goes',
    applies: always,
    allowed: true,
    why: ({ intent }) => RELEASE_GOES[intent],
    meaning: 'its HelmRelease is deleted, it moves, or remediation uninstalls it',
  },
];

const OBJECT_GOES: Readonly<Record<ObjectFacts['intent'], string>> = {
  uninstall: 'its release is being uninstalled',
  prune: 'the new revision no longer contains it',
  revert: 'only a failed revision contains it',
  hook: 'required by the delete policy of the hook',
  deleted: 'its Kustomization is being deleted',
  recreate: 'it is recreated to change an immutable field',
};

const OBJECT: readonly Guard<ObjectFacts>[] = [
  {
    name: 'crds-directory',
    applies: ({ isFromCrds }) => isFromCrds,
    allowed: false,
    why: () => "it comes from the chart's crds directory",
    meaning: 'a CRD from `crds/` of a chart, as in Helm',
  },
  {
    name: 'crd-hook',
    applies: ({ intent, kind }) => intent === 'hook' && kind === 'CustomResourceDefinition',
    allowed: false,
    why: () => 'deleting a CRD deletes all its objects',
    meaning: 'a hook that is a CRD, as in Helm',
  },
  {
    name: 'hook',
    applies: ({ intent }) => intent === 'hook',
    allowed: true,
    why: ({ intent }) => OBJECT_GOES[intent],
    meaning: 'the delete policy of a hook; as in Helm, marks and resource policies do not matter here',
  },
  {
    name: 'keep',
    applies: ({ isKept }) => isKept,
    allowed: false,
    why: () => 'its policy is to be kept',
    meaning:
      'resource policy `keep`, on the live object or in the manifest; of a Kustomization the annotations or labels `prune: disabled`, `reconcile: disabled` and `ssa: Ignore`',
  },
  {
    name: 'holds-data',
    applies: ({ intent, holdsData }) => intent === 'recreate' && holdsData === true,
    allowed: false,
    why: () => 'the data in it would be lost',
    meaning:
      'a PersistentVolume, PersistentVolumeClaim, Namespace or CustomResourceDefinition, or a StatefulSet whose claims go with it, that `force` would recreate',
  },
  {
    name: 'target-namespace',
    applies: ({ staysAsTarget }) => staysAsTarget === true,
    allowed: false,
    why: () => 'it is the target namespace of its Kustomization, which still uses it, or did not create it',
    meaning:
      'the Namespace in `targetNamespace` of a Kustomization that the source no longer contains, or that is older than the Kustomization that is deleted',
  },
  {
    name: 'of-another',
    applies: ({ marks }) => marks === 'other',
    allowed: false,
    why: () => 'it belongs to another release or Kustomization',
    meaning: 'the live object has the marks of another release or Kustomization',
  },
  {
    name: 'unmarked',
    applies: ({ marks }) => marks === 'none',
    allowed: false,
    why: () => 'it does not have the marks of its owner',
    meaning:
      'the live object has no marks of an owner: they were removed, or no owner ever wrote it; as in Helm and Flux',
  },
  {
    name: 'shared',
    applies: ({ intent, sharedWith }) => (intent === 'prune' || intent === 'deleted') && sharedWith !== undefined,
    allowed: false,
    why: ({ sharedWith = '' }) => `${sharedWith} has it too, or waits for it`,
    meaning:
      'another Kustomization of the namespace, which is not being deleted, has it too on the same cluster, or waits for it',
  },
  {
    name: 'crd-reverted',
    applies: ({ intent, kind }) => intent === 'revert' && kind === 'CustomResourceDefinition',
    allowed: false,
    why: () => 'deleting a CRD deletes all its objects, and this one may be older than the failed revision',
    meaning: 'a CRD that only a failed revision contains: it may be older than that revision',
  },
  {
    name: 'goes',
    applies: always,
    allowed: true,
    why: ({ intent }) => OBJECT_GOES[intent],
    meaning: 'its release or Kustomization is deleted or no longer contains it, or `force` recreates it',
  },
];

const CRD: readonly Guard<CrdFacts>[] = [
  {
    name: 'not-ours',
    applies: ({ isOurs }) => !isOurs,
    allowed: false,
    why: () => 'it does not have the label of Fairlead',
    meaning: 'somebody else installed it',
  },
  {
    name: 'dependants',
    applies: ({ dependants }) => dependants > 0,
    allowed: false,
    why: ({ dependants }) =>
      `${dependants} children would be deleted with their owners, and their releases uninstalled`,
    meaning: 'children still have owner references to its objects',
  },
  {
    name: 'purged',
    applies: always,
    allowed: true,
    why: () => '--purge removes it',
    meaning: '`fairlead uninstall --purge`',
  },
];

const FINALIZER: readonly Guard<FinalizerFacts>[] = [
  {
    name: 'not-ours',
    applies: ({ isOurs }) => !isOurs,
    allowed: false,
    why: () => 'a running engine removes its finalizer itself',
    meaning: 'the engine that added it is still running',
  },
  {
    name: 'not-asked',
    applies: ({ isAsked }) => !isAsked,
    allowed: false,
    why: () => 'its cluster was not abandoned',
    meaning: 'it was not requested',
  },
  {
    name: 'staying',
    applies: ({ intent, isTerminating }) => intent === 'abandon' && !isTerminating,
    allowed: false,
    why: () => 'it is not being deleted',
    meaning: 'the object on an abandoned cluster is not being deleted',
  },
  {
    name: 'let-go',
    applies: always,
    allowed: true,
    why: ({ intent }) => (intent === 'purge' ? '--purge removes it' : 'its cluster was abandoned'),
    meaning: 'the annotation `gitops.kubesphere.io/abandon` names its cluster, or `fairlead uninstall --purge`',
  },
];

/** @internal The whole table: for each subject its guards, of which the first that applies decides. */
export const DELETION_RULE = {
  installed: INSTALLED,
  release: RELEASE,
  object: OBJECT,
  crd: CRD,
  finalizer: FINALIZER,
  credential: CREDENTIAL,
  source: SOURCE,
};

function first<Facts>(guards: readonly Guard<Facts>[], facts: Facts): Decision {
  const guard = guards.find(({ applies }) => applies(facts));
  // The last guard of each table always applies; a table without one allows nothing.
  if (guard === undefined) return { allowed: false, guard: 'none', why: 'no rule allows it' };
  return { allowed: guard.allowed, guard: guard.name, why: guard.why(facts) };
}

/** The one rule of what may be deleted or uninstalled, from facts alone. Never throws. */
export function mayDelete(facts: DeletionFacts): Decision {
  switch (facts.subject) {
    case 'installed':
      return first(INSTALLED, facts);
    case 'release':
      return first(RELEASE, facts);
    case 'object':
      return first(OBJECT, facts);
    case 'crd':
      return first(CRD, facts);
    case 'finalizer':
      return first(FINALIZER, facts);
    case 'credential':
      return first(CREDENTIAL, facts);
    case 'source':
      return first(SOURCE, facts);
  }
}
