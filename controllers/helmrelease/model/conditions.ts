import { printDuration } from '#lib/duration.js';
import type { Condition } from '#api/meta.js';
import { describeSnapshot, type Snapshot } from './snapshot.js';
import type { ReleaseAction } from './next-action.js';

export type ConditionType = 'Ready' | 'Reconciling' | 'Stalled' | 'Released' | 'TestSuccess' | 'Remediated' | 'Drifted';

export interface ConditionInput {
  readonly type: ConditionType;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

/**
 * Ready as in Flux: a copy of the newest of Remediated, TestSuccess (if failing tests count) and Released. A remediated
 * release is never Ready. Undefined before the first action.
 */
export function summarizeReady(
  conditions: readonly Condition[],
  testsCount: boolean,
): Omit<ConditionInput, 'observedGeneration'> | undefined {
  const sources = ['Remediated', ...(testsCount ? ['TestSuccess'] : []), 'Released'];
  const [newest] = sources
    .flatMap((type) => conditions.filter((condition) => condition.type === type))
    .sort((a, b) => (b.observedGeneration ?? 0) - (a.observedGeneration ?? 0));
  if (newest === undefined) return undefined;
  const { status, reason, message } = newest;
  return {
    type: 'Ready',
    status: newest.type === 'Remediated' ? 'False' : status,
    reason,
    message,
  };
}

const PAST: Readonly<Record<'install' | 'upgrade', string>> = { install: 'Install', upgrade: 'Upgrade' };

/** Reason of a finished action, e.g. `InstallSucceeded`. */
export function reasonOf(action: 'install' | 'upgrade', succeeded: boolean): string {
  return `${PAST[action]}${succeeded ? 'Succeeded' : 'Failed'}`;
}

/** `Helm install succeeded for release ns/name.v1 with chart c@v`. */
export function successMessage(action: 'install' | 'upgrade', snapshot: Snapshot): string {
  return `Helm ${action} succeeded for release ${describeSnapshot(snapshot)}`;
}

/** The names in a message about a release that may have no revision. */
export interface Attempted {
  readonly namespace: string;
  readonly name: string;
  readonly chartName: string;
  readonly chartVersion: string;
}

/** `Helm upgrade failed for release ns/name with chart c@v: <error>`. */
export function failureMessage(action: 'install' | 'upgrade', attempted: Attempted, error: string): string {
  const { namespace, name, chartName, chartVersion } = attempted;
  return `Helm ${action} failed for release ${namespace}/${name} with chart ${chartName}@${chartVersion}: ${error}`;
}

/** `Running 'install' action with timeout of 5m0s`. */
export function runningMessage(action: ReleaseAction, timeoutMs: number): string {
  return `Running '${action}' action with timeout of ${printDuration(timeoutMs)}`;
}
