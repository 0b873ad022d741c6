import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { linkSignals } from '#runtime/process/signals.js';
import { sortedViews } from '#queries/views/application-view.js';
import { follow } from '../command/follow.js';
import { progressLines } from '../status/ready.js';
import { isSettled } from '../status/wait.js';
import { statusTable } from '../status/model/status-table.js';
import { outputTerminal } from '../output/standard-output.js';
import type { Say } from '../output/progress.js';

interface Limits {
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/**
 * Shows all Applications of a namespace at first and after each change, until `show` says that it has seen enough.
 * False: it had not at the limit. Throws when `signal` is aborted.
 */
export async function followUntil(
  kube: Kube,
  { namespace, signal, limitMs }: Limits,
  show: (applications: readonly Application[]) => boolean,
): Promise<boolean> {
  const done = new AbortController();
  const linked = linkSignals([signal, done.signal], limitMs);
  const onChange = (applications: readonly Application[]): void => {
    if (!done.signal.aborted && show(applications)) done.abort();
  };
  const following = { type: applicationResource, query: { namespace }, signal: linked.signal, show: onChange };
  await follow<Application>(kube, following).finally(linked.unlink);
  signal.throwIfAborted();
  return done.signal.aborted;
}

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
