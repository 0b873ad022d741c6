import type { Logger } from 'pino';
import type { Unstructured } from '#api/meta.js';
import type { HealthRules } from '#controllers/engine/health/expressions.js';
import type { Offload } from '#controllers/runtime/offload.js';
import type { ClusterContext } from '../../shared/cluster-context.js';
import type { RenderedChart } from '../model/manifest.js';
import type { ChartRecord, ReleaseRecord } from '../model/release.js';
import type { ReleaseStorage } from '../storage.js';

/** Flux's own manager: a hand-over leaves no co-owned fields. */
export const FIELD_MANAGER = 'helm-controller';

/** What an action may use: one release on one member. */
export interface ActionContext extends ClusterContext {
  readonly storage: ReleaseStorage;
  readonly releaseName: string;
  /** When objects of kinds of the user's own are well. */
  readonly healthRules: HealthRules;
  readonly log: Logger;
  readonly offload: Pick<Offload, 'run'>;
  /** Whose work it is that is done aside. */
  readonly tenant: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What an install or upgrade brings to the cluster. */
export interface Desired {
  readonly chart: ChartRecord;
  readonly values: Readonly<Record<string, unknown>>;
  /** From crds/, already on the cluster. */
  readonly crds: readonly Unstructured[];
  readonly rendered: RenderedChart;
}

/** How an action ended. `record` is the revision that it left in storage, if it got that far. */
export interface Outcome {
  readonly record: ReleaseRecord | undefined;
  /** Absent when the action worked. */
  readonly error?: string;
}

/** RFC 3339 of now, as Helm stores times. */
export function timestamp(context: Pick<ActionContext, 'now'>): string {
  return new Date(context.now()).toISOString();
}
