import type { CountOrPercentage } from '#lib/kube/count-or-percentage.js';
import type { LabelSelector } from '#lib/kube/label-selector.js';
import type { Window } from './windows.js';

/** A stage of `spec.rollout`. */
export interface StageSpec {
  readonly name: string;
  /** Absent only for the stage `rest`, which has every cluster that is in no other stage. */
  readonly clusters?: { readonly names?: readonly string[]; readonly selector?: LabelSelector };
  /** Default: no limit. */
  readonly maxConcurrent?: CountOrPercentage;
  /** Default: no limit. */
  readonly maxUnavailable?: CountOrPercentage;
  /** A Go duration. Default: none. */
  readonly bakeTime?: string;
  /** It begins only when it is approved. */
  readonly approval?: boolean;
  /** Default: those of the rollout. */
  readonly windows?: readonly Window[];
}

/** The fields of `spec.rollout` that the rules read. */
export interface RolloutSpec {
  readonly stages?: readonly StageSpec[];
  /** Default: Pause. */
  readonly onFailure?: 'Pause' | 'Rollback' | 'Continue';
  /** Of each stage. Default: 0. */
  readonly failureBudget?: CountOrPercentage;
  /** Of each stage. Default: all but one of those that take part. */
  readonly unreachableBudget?: CountOrPercentage;
  readonly paused?: boolean;
  /** Default: updates may start at any time. */
  readonly windows?: readonly Window[];
}

/**
 * Of a child: `absent` there is none; `outdated` it is not at the target; the next three are at the target: `updating`
 * is neither Ready nor failed. `left`: the destination takes no part in the rollout (unmanaged, suspended, its cluster
 * is paused). `rejected`: what it is to become is not known, so it has not tried the revision.
 */
export type TargetState = 'absent' | 'outdated' | 'updating' | 'ready' | 'failed' | 'left' | 'rejected';

/** One destination. */
export interface Target {
  /** Unique. */
  readonly id: string;
  /** Name of its cluster. */
  readonly cluster: string;
  /** Index of its stage, from `assignStages`. */
  readonly stage: number;
  readonly state: TargetState;
  /** It has a child that is Ready now, whatever its revision. */
  readonly isAvailable: boolean;
  /** It has a child that failed, whatever its revision. */
  readonly isFailed: boolean;
  readonly isReachable: boolean;
  /** Its child is at the revision of `previousRevision`. */
  readonly isAtPrevious: boolean;
  /** The revision of `previousRevision` has this destination. */
  readonly hasPrevious: boolean;
  /** Why it failed or was rejected. */
  readonly problem?: string | undefined;
  /** True if it is `left` because it was installed once: it has nothing to prove. */
  readonly isOnce?: boolean;
}

export interface StageRecord {
  readonly name: string;
  /** RFC 3339, as all times here: since then its destinations may be started. */
  readonly startedAt?: string;
  /** Since then all its destinations are settled. */
  readonly settledAt?: string;
}

/** All that is remembered of a rollout, in `status.rollout`. */
export interface RolloutRecord {
  readonly revision: number;
  readonly startedAt: string;
  readonly stages: readonly StageRecord[];
  /** Every stage was settled, and baked. */
  readonly completedAt?: string;
  /** A stage failed and went back to the revision `to`, if there was one; without a stage, all of them did. */
  readonly rolledBack?: { readonly stage?: string; readonly to?: number; readonly why: string };
  /** The newest revision whose rollout was completed within the failure budgets. */
  readonly lastGood?: number;
  /** Hashes of destinations that failed and have not become Ready since, with their stages. */
  readonly failing?: readonly string[];
  /** The request to retry that was fulfilled: it is no request any more. */
  readonly retried?: string;
  /** The same for the request to abort. */
  readonly aborted?: string;
}

/** Texts of annotations. */
export interface RolloutRequests {
  /** `STAGE@REVISION`, or `STAGE@REVISION@unproven` to also accept a missing proof. */
  readonly approved: string | undefined;
  /** `REVISION`, or `REVISION@TEXT` to repeat it. */
  readonly retry: string | undefined;
  /** `REVISION`. */
  readonly ignoreWindows: string | undefined;
  /** `REVISION`, or `REVISION@TEXT` to repeat it. */
  readonly abort: string | undefined;
  /** `true` or `false`. */
  readonly paused: string | undefined;
}

/** Whether updates may start. */
export interface WindowView {
  readonly open: boolean;
  /** Milliseconds until it opens; undefined: never. */
  readonly nextMs?: number;
}

/** What a destination waits for. */
export type HoldCause =
  'Stage' | 'Approval' | 'Bake' | 'Window' | 'Budget' | 'Unreachable' | 'Paused' | 'Failures' | 'RolledBack';

/** Why something is not started. */
export interface Hold {
  readonly cause: HoldCause;
  readonly why: string;
  /** Milliseconds until it may be; undefined: when something changes. */
  readonly ms?: number;
  /** The text that approves it, if it waits for an approval. */
  readonly approval?: string;
}

/**
 * What a destination gets: the new revision, the previous one, or what it has. One that takes no part gets the new
 * revision, e.g. its `suspend`; rules of its own come first.
 */
export type Move =
  { readonly to: 'target' } | { readonly to: 'previous' } | { readonly hold: string; readonly cause: HoldCause };

export type RolloutPhase =
  | 'Pending'
  | 'AwaitingApproval'
  | 'AwaitingWindow'
  | 'Progressing'
  | 'Baking'
  | 'Paused'
  | 'Halted'
  | 'RollingBack'
  | 'RolledBack'
  | 'Complete';

/** Counts of destinations. Each is either ready, updating, failed, unreachable, waiting, left or rejected. */
export interface Tally {
  readonly total: number;
  readonly ready: number;
  readonly updating: number;
  readonly failed: number;
  readonly unreachable: number;
  readonly waiting: number;
  readonly left: number;
  /** Like all optional counts below: absent instead of 0. */
  readonly rejected?: number;
  /** The part of `left` that was installed once. */
  readonly once?: number;
  /** At the target: Ready or not, reachable or not. */
  readonly updated: number;
  /** Destinations that failed and have not become Ready since, including those in `aside`. */
  readonly failures: number;
  /** The part of `failures` that is left, rejected or gone. */
  readonly aside?: number;
  /** The part of `aside` whose destinations are no longer in the stage, nor in `total`. */
  readonly gone?: number;
}

export interface StageStatus extends Tally {
  readonly name: string;
  readonly phase: RolloutPhase;
  readonly why: string;
  /** The text that approves it, if it waits for an approval. */
  readonly approval?: string;
}

export interface RolloutInput {
  readonly spec: RolloutSpec;
  readonly targets: readonly Target[];
  readonly record: RolloutRecord | undefined;
  /** Number of the new revision. */
  readonly revision: number;
  /** What `previousRevision` says, if that revision is still kept. */
  readonly previous: number | undefined;
  readonly requests: RolloutRequests;
  /** Why destinations may be missing: no stage begins then, and nothing is complete. */
  readonly incomplete?: string | undefined;
  /** Of the stage with an index. */
  readonly windowAt: (stage: number) => WindowView;
  /** Nothing of the rollout is written. Default: false. */
  readonly isDryRun?: boolean;
  readonly nowMs: number;
}

export interface Rollout {
  /** By the id of a target; all of them. */
  readonly moves: ReadonlyMap<string, Move>;
  /** To be written before any move is made. */
  readonly record: RolloutRecord;
  readonly stages: readonly StageStatus[];
  readonly phase: RolloutPhase;
  readonly why: string;
  readonly warnings: readonly string[];
  /** Milliseconds until the next reconciliation; undefined: when something changes. */
  readonly retryAfterMs: number | undefined;
}
