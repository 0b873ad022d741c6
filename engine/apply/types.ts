import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import type { Member } from '../member/member.js';
import type { ObjectFailure } from '../member/member-failure.js';

/** One batch of objects for one member, all for one owner. */
export interface ApplyRequest {
  readonly member: Member;
  readonly objects: readonly Unstructured[];
  /** `helm-controller` or `kustomize-controller`: Flux's own, so that a hand-over leaves no co-owned fields. */
  readonly fieldManager: string;
  /** For namespaced objects that name none. */
  readonly defaultNamespace: string;
  readonly signal: AbortSignal;
  /** Milliseconds for one request. */
  readonly timeoutMs?: number;
  /**
   * True: the batch is known to bring changes, and every object is applied without looking first: one request each
   * instead of three. The server leaves one that does not change as it is; all are told as `configured`.
   */
  readonly isRollOut?: boolean;
  /** In a roll-out: whose fields become ours, so that those which `objects` leave out go. Absent: nobody's. */
  readonly takeOver?: TakeOverRule;
}

export interface TakeOverRule {
  /** Judges one entry of `managedFields` of a live object. */
  readonly isTaken: (entry: ManagedFieldsEntry, live: Unstructured) => boolean;
  /** True where others are known to have written: each object is read first, and rolled out once instead of twice. */
  readonly looksFirst: boolean;
}

export type ChangeAction = 'created' | 'configured' | 'unchanged' | 'deleted' | 'skipped';

export interface ObjectChange {
  /** Inventory id `<namespace>_<name>_<group>_<kind>` (Flux's form). */
  readonly id: string;
  /** `Kind/namespace/name`, for messages. */
  readonly subject: string;
  readonly action: ChangeAction;
  /** The object after an apply, as the server answered. */
  readonly live?: Unstructured;
}

/** Everything that a batch did. One object's failure never hides what the others did. */
export interface ChangeSet {
  readonly changes: readonly ObjectChange[];
  readonly failures: readonly ObjectFailure[];
}
