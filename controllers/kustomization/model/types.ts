import type { Artifact, InventoryEntry } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';

/** The namespace that a Kustomization sets on its objects, and when the Kustomization was created. */
export interface Target {
  readonly targetNamespace?: string | undefined;
  /** RFC 3339. */
  readonly createdAt?: string | undefined;
}

/** What a source is built into. */
export interface Manifests {
  readonly kind: 'manifests';
  readonly objects: readonly Unstructured[];
  /** Of the manifests, as the history has it. */
  readonly digest: string;
  /** The build before variables were substituted. */
  readonly template: string;
  /** Values from Secrets that no message shows. */
  readonly secrets: readonly string[];
  /** The kustomization file says that there is nothing. */
  readonly saysEmpty: boolean;
  /** By `apiVersion kind`: whether it is namespaced. Kinds that are not served are missing. */
  readonly scopes: ReadonlyMap<string, boolean>;
}

/** What a synchronization is decided from. */
export interface Observed {
  readonly kustomization: Kustomization;
  readonly artifact: Artifact;
  readonly manifests: Manifests | Rejection;
  /** Changes of its objects are reported, as far as their kinds were served. */
  readonly isWatched: boolean;
}

/** The build is applied. */
export interface Synchronization {
  readonly kind: 'apply';
  /** In their namespaces, with the labels of their owner, in Flux's order. */
  readonly objects: readonly Unstructured[];
  /** Nothing is there yet, and this revision was not tried: what does not exist is created without a dry run. */
  readonly isFirst: boolean;
  /** The inventory once all of them are applied. */
  readonly inventory: readonly InventoryEntry[];
  /** The inventory while they are: a process that ends in between must not forget what it created. Begins with the old one. */
  readonly ahead: readonly InventoryEntry[];
  /** What the source no longer contains, if it is to be deleted. */
  readonly stale: readonly InventoryEntry[];
  /** What must become healthy. */
  readonly checks: readonly Unstructured[];
}

/** Nothing is applied. */
export interface Rejection {
  readonly kind: 'reject';
  readonly reason: 'ArtifactFailed' | 'BuildFailed' | 'ReconciliationFailed';
  readonly message: string;
  /** Id of an entry to remove from the inventory. */
  readonly forgets?: string;
}

export interface Plan {
  readonly observed: Observed;
  readonly decision: Synchronization | Rejection;
}

/** What was done to one object. */
export interface Change {
  /** As in the inventory. */
  readonly id: string;
  /** `Kind/namespace/name`. */
  readonly subject: string;
  readonly action: 'created' | 'configured' | 'unchanged' | 'deleted' | 'skipped';
}

/** What came of a decision. */
export interface Acted {
  readonly changes: readonly Change[];
  /** Ids of what may have been written: the cluster gave no answer. */
  readonly unanswered?: readonly string[] | undefined;
  /** Subjects of what was deleted. */
  readonly pruned: readonly string[];
  /** Ids that a prune was done with when others failed. */
  readonly cleared?: readonly string[] | undefined;
  /** Ids that the source lacks, and that are left to others which wait for them. */
  readonly left?: readonly string[] | undefined;
  /** Why it ended early. */
  readonly problem?:
    | {
        readonly reason: Rejection['reason'] | 'TargetTaken' | 'PruneFailed' | 'HealthCheckFailed';
        readonly message: string;
      }
    | undefined;
  /** Milliseconds until the objects were healthy; absent when none were checked. */
  readonly healthyAfterMs?: number | undefined;
}
