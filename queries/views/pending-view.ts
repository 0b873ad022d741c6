import type { PendingView } from '../answers/application.js';
import type { Application } from '#api/v1alpha1/application.js';
import { comparePending, PENDING_REASONS, waitIdentityOf } from '#api/v1alpha1/pending.js';
import { defined } from '#lib/plain.js';

type Status = NonNullable<Application['status']>;
type Row = NonNullable<Status['destinations']>[number];
type PendingRow = NonNullable<Status['pending']>['destinations'][number];
/** A newer controller may know more reasons. */
type Waiting = Omit<PendingRow, 'reason'> & { readonly reason: string };

/** Of a reason that this version does not know, nothing is said. */
const SENTENCES: ReadonlyMap<string, string> = new Map(Object.entries(PENDING_REASONS));

/** What a row says of its wait: less than the list of those that the status describes. */
function waitingRows({ wait, child, name, cluster = '', namespace, release }: Row): Waiting[] {
  if (wait === undefined) return [];
  const { reason } = wait;
  const change = reason === 'Removal' ? 'removal' : child === undefined ? 'installation' : '';
  const where = { name, cluster, ...defined({ namespace, release }) };
  return [{ ...where, ...wait, change, message: SENTENCES.get(reason) ?? '' }];
}

/** The first of each change. */
function unique(rows: readonly Waiting[]): Waiting[] {
  return [...new Map(rows.toReversed().map((row) => [waitIdentityOf(row, row), row])).values()];
}

/** All destinations that wait, as far as the status has them, in its order, and those that were read beside it. */
function waitingIn({ pending, destinations = [] }: Status, read: readonly Waiting[]): Waiting[] {
  const described = pending?.destinations ?? [];
  const known = new Set(described.map((row) => waitIdentityOf(row, row)));
  const others = unique([...read, ...destinations.flatMap(waitingRows)]);
  return [...described, ...others.filter((row) => !known.has(waitIdentityOf(row, row))).sort(comparePending)];
}

function viewOf({ metadata }: Application, row: Waiting): PendingView {
  const { name, cluster, from, to, change = '', reason, message, since } = row;
  return {
    ...defined({ from, to }),
    ...{ cluster, reason, message, since, change },
    application: metadata.name,
    namespace: metadata.namespace ?? '',
    destination: name,
  };
}

/** How many destinations of an Application wait of which its status has no row. */
export function unlisted({ status = {} }: Application): number {
  return Math.max(0, (status.pending?.total ?? 0) - waitingIn(status, []).length);
}

/**
 * The destinations that wait, and how many more there are of which nothing is known. `read`: what is known of an
 * Application beside its status.
 */
export function pendingViews(
  applications: readonly Application[],
  read: ReadonlyMap<Application, readonly PendingRow[]> = new Map(),
): { pending: PendingView[]; more: number } {
  const pending = applications.flatMap((each) =>
    waitingIn(each.status ?? {}, read.get(each) ?? []).map((row) => viewOf(each, row)),
  );
  const total = applications.reduce((sum, { status }) => sum + (status?.pending?.total ?? 0), 0);
  return { pending, more: Math.max(0, total - pending.length) };
}
