import type { Artifact, InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';

/** What a reconciliation has read. */
export interface Observed {
  readonly artifact: Artifact;
  readonly objects: readonly Unstructured[];
  /** Of the manifests, as the history has it. */
  readonly digest: string;
  /** The kustomization file says that there is nothing. */
  readonly saysEmpty: boolean;
  /** By `apiVersion kind`: whether it is namespaced. Kinds that are not served are missing. */
  readonly scopes: ReadonlyMap<string, boolean>;
}

/** What is to be done. */
export interface Plan {
  readonly kind: 'apply';
  /** In their namespaces, with the labels of their owner, in Flux's order. */
  readonly objects: readonly Unstructured[];
  /** The inventory once all of them are applied. */
  readonly inventory: readonly InventoryEntry[];
  /** The inventory while they are: a process that ends in between must not forget what it created. */
  readonly ahead: readonly InventoryEntry[];
  /** What the source no longer contains, if it is to be deleted. */
  readonly stale: readonly InventoryEntry[];
  /** What must become healthy. */
  readonly checks: readonly Unstructured[];
}

export interface Rejection {
  readonly kind: 'reject';
  readonly reason: 'ArtifactFailed' | 'BuildFailed' | 'ReconciliationFailed';
  readonly message: string;
}

/** What was done to one object. */
export interface Change {
  /** As in the inventory. */
  readonly id: string;
  /** `Kind/namespace/name`. */
  readonly subject: string;
  readonly action: 'created' | 'configured' | 'unchanged' | 'deleted' | 'skipped';
}

/** What was done of it. */
export interface Outcome {
  readonly changes: readonly Change[];
  /** Subjects of what was deleted. */
  readonly pruned: readonly string[];
  /** Why it ended early. */
  readonly problem?:
    | {
        readonly reason: Rejection['reason'] | 'PruneFailed' | 'HealthCheckFailed';
        readonly message: string;
      }
    | undefined;
  /** Milliseconds until the objects were healthy; absent when none were checked. */
  readonly healthyAfterMs?: number | undefined;
  /** Milliseconds of the whole. */
  readonly durationMs: number;
}
