import type { KustomizationStatus } from '#api/flux/kustomization.js';
import { printDuration } from '#lib/duration.js';

type History = NonNullable<KustomizationStatus['history']>;
type Entry = History[number];

const KEPT = 5;

/** One result of a reconciliation. */
export interface Result {
  readonly digest: string;
  /** Reason of Ready. */
  readonly status: string;
  readonly revision: string;
  readonly originRevision?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
  readonly durationMs: number;
}

function isSame({ digest, lastReconciledStatus }: Entry, result: Result): boolean {
  return digest === result.digest && lastReconciledStatus === result.status;
}

/** True when the newest entry says all of it already. */
function isKnown([newest]: History, result: Result): boolean {
  return newest !== undefined && isSame(newest, result) && newest.metadata?.['revision'] === result.revision;
}

/**
 * The history with a result at its beginning: results are told apart by digest and reason, and five are kept, as in
 * Flux. One that says nothing new and that changed nothing is not counted: it would be a write at each interval.
 */
export function withResult(history: History, result: Result, { isNews }: { readonly isNews: boolean }): History {
  if (!isNews && isKnown(history, result)) return history;
  const { digest, status, revision, originRevision, now, durationMs } = result;
  const known = history.find((entry) => isSame(entry, result));
  const entry: Entry = {
    digest,
    firstReconciled: known?.firstReconciled ?? now,
    lastReconciled: now,
    lastReconciledDuration: printDuration(durationMs),
    lastReconciledStatus: status,
    totalReconciliations: (known?.totalReconciliations ?? 0) + 1,
    metadata: { revision, ...(originRevision === undefined ? {} : { originRevision }) },
  };
  return [entry, ...history.filter((each) => each !== known)].slice(0, KEPT);
}
