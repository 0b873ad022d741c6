import type { Application } from '#api/v1alpha1/application.js';
import { sortedViews } from '#queries/views/application-view.js';
import type { Kube } from '#runtime/client/kube.js';
import { progressLines } from '../status/progress-lines.js';
import { isSettled } from '../status/wait.js';
import { statusTable } from '../status/status-table.js';
import { outputTerminal } from '../terminal/standard-output.js';
import type { Say } from '../progress.js';
import { followUntil } from './follow-until.js';

const READY_LIMIT_MS = 180_000;

function tableOf(applications: readonly Application[]): string {
  return statusTable(sortedViews(applications), { allNamespaces: false, wide: false, terminal: outputTerminal() });
}

export interface Waiting {
  readonly namespace: string;
  /** Names of the Applications that must become ready. */
  readonly names: readonly string[];
  readonly signal: AbortSignal;
}

/** Waits until the named Applications are ready; returns their table. Throws with the table at the limit. */
export async function untilReady(kube: Kube, { namespace, names, signal }: Waiting, say: Say): Promise<string> {
  let latest: readonly Application[] = [];
  let shown = '';
  const isDone = await followUntil(kube, { namespace, signal, limitMs: READY_LIMIT_MS }, (all) => {
    latest = all.filter(({ metadata }) => names.includes(metadata.name));
    const lines = progressLines(latest, outputTerminal());
    if (lines !== shown) say(lines);
    shown = lines;
    return latest.length === names.length && latest.every(isSettled);
  });
  if (isDone) return tableOf(latest);
  throw new Error(`not everything was ready after ${READY_LIMIT_MS / 1_000} s:\n${tableOf(latest)}`);
}
