/** Facts about what a HelmRelease or Kustomization installed, at the time that this object is deleted. */
export interface InstalledFacts {
  readonly subject: 'installed';
  /** Whether an Application with the UID of an owner reference exists; `none`: no reference names an Application. */
  readonly owner: 'none' | 'living' | 'lost';
  /** The effective deletion policy of its Application. */
  readonly policy: 'Delete' | 'Orphan';
  /** True if the policy is Orphan, and its namespace or its Application is being deleted too. */
  readonly isSwept: boolean;
  /** True if the status says that the engine has tried to uninstall it since the object was deleted. */
  readonly hasBegun: boolean;
}

/** A Helm release that an engine is about to uninstall. */
export interface ReleaseFacts {
  readonly subject: 'release';
  /** `deleted`: its HelmRelease goes; `moved`: it moves to another place; `remediation`: an action on it failed. */
  readonly intent: 'deleted' | 'moved' | 'remediation';
  /**
   * Where requests would go, and whether that is where the release was made: `unknown` when the reference that says so
   * cannot be read, is of a kind that we cannot follow, or has changed since.
   */
  readonly target: 'host' | 'member' | 'unknown';
  readonly isSuspended: boolean;
  /** True when Helm's storage and the status say that this HelmRelease made the release. */
  readonly isOwn: boolean;
  /** Another HelmRelease that applies the same objects with a record of its own, in words. */
  readonly sharedWith?: string | undefined;
  /** False if nothing tells whether that one is on the same cluster. */
  readonly isSharingSure?: boolean;
}

/** An object in a cluster that belongs to a release or to the inventory of a Kustomization. */
export interface ObjectFacts {
  readonly subject: 'object';
  /**
   * `uninstall`: its release goes; `prune`: a new revision has it no more; `revert`: a failed revision brought it;
   * `hook`: the delete policy of a hook; `deleted`: its Kustomization goes; `recreate`: a field of it is immutable.
   */
  readonly intent: 'uninstall' | 'prune' | 'revert' | 'hook' | 'deleted' | 'recreate';
  readonly kind: string;
  /** Policy `keep`, or `prune: disabled` and its like, on the live object or in the manifest. */
  readonly isKept: boolean;
  /** Whose marks the live object carries: its owner's, none, or those of another owner. */
  readonly marks: 'own' | 'none' | 'other';
  /** True when it comes from the `crds/` directory of a chart. */
  readonly isFromCrds: boolean;
  /** True when data goes with it that nobody else has. */
  readonly holdsData?: boolean;
  /** Another Kustomization that lists it too, or waits for it, in words. */
  readonly sharedWith?: string | undefined;
  /** True for the target namespace of a Kustomization that still uses it, or did not create it. */
  readonly staysAsTarget?: boolean;
}

/** A CRD that goes with all its objects. */
export interface CrdFacts {
  readonly subject: 'crd';
  readonly intent: 'purge';
  /** True when its label says that `fairlead install` made it. */
  readonly isOurs: boolean;
  /** Children, of whichever CRD, that an object of this one owns: the server would collect them with it. */
  readonly dependants: number;
}

/** A finalizer that is not removed by its engine: the object is deleted, but what it installed stays. */
export interface FinalizerFacts {
  readonly subject: 'finalizer';
  /** `abandon`: a cluster is given up; `purge`: Fairlead itself goes. */
  readonly intent: 'abandon' | 'purge';
  /** True for a finalizer that only we take off, as things are: not that of an engine that runs. */
  readonly isOurs: boolean;
  readonly isTerminating: boolean;
  /** True when the user said so: by the annotation for this cluster, by a flag. */
  readonly isAsked: boolean;
}

/** A kubeconfig Secret that was made for a granted cluster. */
export interface CredentialFacts {
  readonly subject: 'credential';
  /** `unused`: the Secret goes; `revoked`: what it holds goes, because the namespace may not use the cluster any more. */
  readonly intent: 'unused' | 'revoked';
  /** True with our label and the name that its cluster gives it. */
  readonly isOurs: boolean;
  /** True while a HelmRelease or Kustomization refers to it: to reconcile, or to uninstall. */
  readonly isReferred: boolean;
  /** False while references, grants or clusters may be missing in what was read. */
  readonly isComplete: boolean;
}

/** A source that was created for Applications: for inline ones, to look up a version range, or as a copy. */
export interface SourceFacts {
  readonly subject: 'source';
  /** True if its label says that Fairlead created it. */
  readonly isOurs: boolean;
  readonly isTerminating: boolean;
  /** False when the lists of what may use it may lack something. */
  readonly complete: boolean;
  /** Applications, revisions and children that refer to it, in whatever state. */
  readonly users: number;
}

/** The input of the rule, provided by the caller that wants to delete. */
export type DeletionFacts =
  InstalledFacts | ReleaseFacts | ObjectFacts | CrdFacts | FinalizerFacts | CredentialFacts | SourceFacts;

/** One row of the table in docs/decisions/0014-deletion-rule.md. */
export interface Guard<Facts> {
  readonly name: string;
  readonly applies: (facts: Facts) => boolean;
  readonly allowed: boolean;
  readonly why: (facts: Facts) => string;
  /** For the documentation: when it applies, and what it stands for. */
  readonly meaning: string;
}
