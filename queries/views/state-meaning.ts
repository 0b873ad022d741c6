import { knownState, type Meaning } from '#api/v1alpha1/states.js';

export type { Meaning };

/** How Flux and the embedded engine begin the message of a failed action; then comes what failed. */
const FAILED_ACTION = /^(Helm \w+ failed for release \S+ with chart \S+|health check failed(?: after [\w.]+)?): (.+)$/s;

/** The message with its cause first: what was being done when it arose stands behind it. */
export function causeFirst(message: string): string {
  const [, action, cause] = FAILED_ACTION.exec(message) ?? [];
  return action === undefined || cause === undefined ? message : `${cause} (${action})`;
}

/** The meanings of the other states of Applications, clusters and rollouts. */
const OTHERS: ReadonlyMap<string, Meaning> = new Map([
  ['Lost', 'bad'],
  ['NotReady', 'bad'],
  ['Missing', 'bad'],
  ['Paused', 'idle'],
  ['Halted', 'bad'],
  ['RollingBack', 'bad'],
  ['RolledBack', 'bad'],
  ['AwaitingApproval', 'idle'],
  ['AwaitingWindow', 'idle'],
  ['Complete', 'good'],
]);

/** So that nobody has to tell colours apart. */
export const SYMBOLS: Readonly<Record<Meaning, string>> = { bad: '✗', moving: '●', idle: '‖', good: '✓' };

/** A state that is not known yet is still moving. */
export function meaningOf(state: string): Meaning {
  return knownState(state)?.meaning ?? OTHERS.get(state) ?? 'moving';
}
