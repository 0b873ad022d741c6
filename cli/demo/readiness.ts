import type { Application } from '../../api/v1alpha1/application.js';
import { sortedViews, viewOf } from '../../controllers/read-model/application-view.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { follow } from '../status/follow.js';
import { statusTable } from '../status/status-table.js';
import type { Say } from '../progress.js';

const READY_LIMIT_MS = 180_000;

/** True when the status speaks of the newest spec and every destination runs. */
export function isSettled(application: Application): boolean {
  const isCurrent = application.status?.observedGeneration === application.metadata.generation;
  return isCurrent && viewOf(application).state === 'Ready';
}

/** States in which a person who waits wants to read why. */
const WORTH_A_WORD: readonly string[] = ['Stalled', 'Failed'];

/** One line per Application, for people who wait; it changes when a state or a count does. */
export function progressLines(applications: readonly Application[]): string {
  const lines = sortedViews(applications).map(({ name, ready, state, message }) => {
    const word = WORTH_A_WORD.includes(state) ? message : '';
    return [name.padEnd(16), ready.padEnd(5), state.padEnd(12), word].join(' ').trimEnd();
  });
  return lines.join('\n');
}

function tableOf(applications: readonly Application[]): string {
  return statusTable(sortedViews(applications), { allNamespaces: false, wide: false });
}

export interface Waiting {
  readonly namespace: string;
  /** Names of the Applications that must become ready. */
  readonly names: readonly string[];
  readonly signal: AbortSignal;
}

/** Waits until the named Applications are ready; returns their table. Throws with the table at the limit. */
export async function untilReady(kube: Kube, { namespace, names, signal }: Waiting, say: Say): Promise<string> {
  const done = new AbortController();
  const limit = AbortSignal.timeout(READY_LIMIT_MS);
  let latest: readonly Application[] = [];
  let shown = '';
  await follow(kube, { namespace }, AbortSignal.any([signal, limit, done.signal]), (all) => {
    latest = all.filter(({ metadata }) => names.includes(metadata.name));
    const lines = progressLines(latest);
    if (lines !== shown) say(lines);
    shown = lines;
    if (latest.length === names.length && latest.every(isSettled)) done.abort();
  });
  signal.throwIfAborted();
  if (done.signal.aborted) return tableOf(latest);
  throw new Error(`not everything was ready after ${READY_LIMIT_MS / 1_000} s:\n${tableOf(latest)}`);
}
