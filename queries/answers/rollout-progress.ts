import type { RolloutView } from './application.js';

/** The answer of `fairlead rollout status`. */

type Stage = RolloutView['stages'][number];

/** A command for a shell, and its effect. */
export interface NextCommand {
  readonly command: string;
  readonly effect: string;
}

/** A destination in its stage. Texts are empty where nothing is known. */
export interface ProgressRow {
  readonly name: string;
  readonly cluster: string;
  /** HelmRelease or Kustomization, as messages name it. */
  readonly child: string;
  readonly state: string;
  /** RFC 3339: since when it is in its state. */
  readonly since: string;
  /** Revision that runs there. */
  readonly revision: string;
  /** Reason of its wait, and since when it waits. */
  readonly waitsFor?: string;
  readonly waitsSince?: string;
  readonly message: string;
}

/** Whether the updates of a stage may start now. */
export interface WindowProgress {
  readonly state: 'Open' | 'Closed' | 'Ignored';
  /** RFC 3339: when it closes, or the next one opens; absent: never. */
  readonly until?: string;
}

export interface StageProgress extends Omit<Stage, 'unasked'> {
  /** Absent if the stage has none, or nothing of it is to be started. */
  readonly window?: WindowProgress;
  /** RFC 3339: when its bakeTime has passed. */
  readonly bakesUntil?: string;
  /** As far as the status lists them. */
  readonly destinations: readonly ProgressRow[];
}

/** A rollout, as `fairlead rollout status -o json` prints it. */
export interface RolloutProgress extends Pick<RolloutView, 'revision' | 'id' | 'phase' | 'message' | 'startedAt'> {
  readonly application: string;
  readonly namespace: string;
  readonly completedAt?: string;
  readonly lastGood?: number;
  readonly stages: readonly StageProgress[];
  /** How many others there are: the status has no room for them, or an older controller wrote it. */
  readonly unlisted: number;
  readonly warnings: readonly string[];
  /** The commands by which it goes on, if somebody has to decide that. */
  readonly next: readonly NextCommand[];
}
