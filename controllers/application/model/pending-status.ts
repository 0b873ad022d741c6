import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { PENDING_REASONS, type Pending, type PendingReason } from '#api/v1alpha1/pending.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { shortened } from './messages.js';
import { identityOf, type Row } from './rows.js';
import type { Wait } from './waits.js';

/** A part of the status that people read first; the command line shows all. */
const MAX_ROWS = 20;
const MAX_MESSAGE = 200;
const MAX_CHANGE = 150;

type Waiting = Row & { readonly wait: Wait };
type PendingRow = Pending['destinations'][number];

function isWaiting(row: Row): row is Waiting {
  return row.wait !== undefined;
}

const RANKS: ReadonlyMap<PendingReason, number> = new Map(
  // The keys of the table are the reasons.
  (Object.keys(PENDING_REASONS) as PendingReason[]).map((reason, rank) => [reason, rank]),
);

/** What somebody has to decide comes first. */
function byReason(a: Waiting, b: Waiting): number {
  const [left = 0, right = 0] = [RANKS.get(a.wait.reason), RANKS.get(b.wait.reason)];
  return left - right || (identityOf(a) < identityOf(b) ? -1 : 1);
}

interface Memory {
  readonly rollout?: ApplicationStatus['rollout'] | undefined;
  readonly removals?: ApplicationStatus['removals'] | undefined;
  /** As it was written last. */
  readonly before: Pending | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** Since when the change of a row has waited that is not in the list yet. */
function firstSeen({ wait: { reason, to } }: Waiting, { rollout, removals, now }: Memory): string {
  if (reason === 'Removal') return removals?.heldSince ?? now;
  const isRolledOut = to !== undefined && rollout?.revision === to && rollout.completedAt === undefined;
  return isRolledOut ? rollout.startedAt : now;
}

/** A change that waits for one thing after another waits since the first. */
function sinceOf(row: Waiting, memory: Memory): string {
  const identity = identityOf(row);
  const known = memory.before?.destinations.find((each) => identityOf(each) === identity && each.to === row.wait.to);
  return known?.since ?? firstSeen(row, memory);
}

function shownRow(row: Waiting, memory: Memory): PendingRow {
  const { name, cluster, namespace, release, wait } = row;
  const { reason, message, from, to } = wait;
  const change = shortened(wait.change(), MAX_CHANGE);
  return {
    name,
    cluster,
    ...defined({ namespace, release, from, to }),
    ...(change === '' ? {} : { change }),
    reason,
    message: shortened(message, MAX_MESSAGE),
    since: sinceOf(row, memory),
  };
}

/** For `status.pending`: no times but those at which a wait began, so that waiting writes nothing. Never throws. */
export function pendingStatus(rows: readonly Row[], memory: Memory): Pending | undefined {
  const waiting = rows.filter(isWaiting).sort(byReason);
  if (waiting.length === 0) return undefined;
  const destinations = waiting.slice(0, MAX_ROWS).map((row) => shownRow(row, memory));
  return { total: waiting.length, destinations };
}
