import type { Rollout as RolloutField, RolloutStatus } from '#api/v1alpha1/rollout.js';

export type RolloutSpec = RolloutField;
/** A stage of `spec.rollout`. Only the stage `rest`, which has every cluster that is in no other stage, has no clusters. */
export type StageSpec = NonNullable<RolloutSpec['stages']>[number];
export type Window = NonNullable<RolloutSpec['windows']>[number];

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
  /** True if it is `left` because it was installed once. */
  readonly isOnce?: boolean;
  /** True if that was with this very revision: it has proven it. Default: false. */
  readonly hasProven?: boolean;
}

type ShownStage = RolloutStatus['stages'][number];

/** Since when the destinations of a stage may be started, and all of them are settled; and whether nobody was asked. */
export type StageRecord = Pick<ShownStage, 'name' | 'startedAt' | 'settledAt' | 'unasked'>;

/** All that is remembered of a rollout, in `status.rollout`. */
export type RolloutRecord = Omit<RolloutStatus, 'phase' | 'message' | 'stages' | 'failing' | 'updating'> & {
  readonly stages: readonly StageRecord[];
  readonly failing?: readonly string[];
  readonly updating?: readonly string[];
};

/** Texts of annotations. */
export interface RolloutRequests {
  /** `STAGE@REVISION`, or `STAGE@REVISION@unproven` to also accept a missing proof; REVISION is a `revisionId`. */
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

export type RolloutPhase = RolloutStatus['phase'];

type Counted = 'ready' | 'updating' | 'failed' | 'unreachable' | 'waiting' | 'left';

/** Counts of destinations; optional ones are absent instead of 0. Each is either ready, updating, failed, unreachable, waiting, left or rejected. */
export interface Tally extends Pick<ShownStage, 'total' | Counted | 'rejected'> {
  /** The part of `left` that was installed once, with this very revision. */
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

export interface StageStatus extends Tally, Pick<ShownStage, 'name' | 'phase' | 'approval'> {
  readonly why: string;
}

export interface RolloutInput {
  readonly spec: RolloutSpec;
  readonly targets: readonly Target[];
  readonly record: RolloutRecord | undefined;
  /** Number of the new revision. */
  readonly revision: number;
  /** The start of its digest. Absent: requests name it by its number alone. */
  readonly digest?: string | undefined;
  /** What `previousRevision` says, if that revision is still kept. */
  readonly previous: number | undefined;
  readonly requests: RolloutRequests;
  /** Why no stage begins, and nothing is complete: destinations may be missing, or leave unproven. */
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
  /** Name of its stage, by the id of a target; all of them. */
  readonly stageOf: ReadonlyMap<string, string>;
  readonly phase: RolloutPhase;
  readonly why: string;
  readonly warnings: readonly string[];
  /** Milliseconds until the next reconciliation; undefined: when something changes. */
  readonly retryAfterMs: number | undefined;
}
