import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { comparePending, waitIdentityOf, type Pending } from '#api/v1alpha1/pending.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { shortened } from './messages.js';
import type { Row, ShownRow } from './rows.js';
import type { Wait } from './verdicts.js';

/** A part of the status that people read first; the command line shows all. */
const MAX_PENDING = 20;
const MAX_MESSAGE = 200;
const MAX_CHANGE = 150;

type Waiting = Row & { readonly wait: Wait };
type PendingRow = Pending['destinations'][number];
type ShownWait = NonNullable<ShownRow['wait']>;

function isWaiting(row: Row): row is Waiting {
  return row.wait !== undefined;
}

function byReason(a: Waiting, b: Waiting): number {
  return comparePending({ ...a, reason: a.wait.reason }, { ...b, reason: b.wait.reason });
}

interface Facts {
  readonly rollout?: ApplicationStatus['rollout'] | undefined;
  readonly removals?: ApplicationStatus['removals'] | undefined;
  /** As it was written last. */
  readonly before: Pick<ApplicationStatus, 'pending' | 'destinations'> | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** Since when each change has waited, by the last status: the list of all has more of them, and may be cut. */
function waitsBefore({ pending, destinations = [] }: NonNullable<Facts['before']>): ReadonlyMap<string, string> {
  const rows = destinations.flatMap((row): [string, string][] =>
    row.wait === undefined ? [] : [[waitIdentityOf(row, row.wait), row.wait.since]],
  );
  const first = (pending?.destinations ?? []).map((row): [string, string] => [waitIdentityOf(row, row), row.since]);
  return new Map([...rows, ...first]);
}

/** Since when destinations wait: in no other memory than the status, so a restart changes nothing. */
export class PendingMemory {
  readonly #facts: Facts;
  readonly #before: ReadonlyMap<string, string>;

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#before = waitsBefore(facts.before ?? {});
  }

  /** What a row waits for, as the status has it; undefined: for nothing. */
  waitOf(row: Row): ShownWait | undefined {
    if (!isWaiting(row)) return undefined;
    const { reason, from, to } = row.wait;
    return { ...defined({ from, to }), reason, since: this.sinceOf(row) };
  }

  /** A change that waits for one thing after another waits since the first. */
  sinceOf(row: Waiting): string {
    return this.#before.get(waitIdentityOf(row, row.wait)) ?? this.#firstSeen(row);
  }

  /** Since when the change of a row has waited that is not in the status yet. */
  #firstSeen({ wait: { reason, to } }: Waiting): string {
    const { rollout, removals, now } = this.#facts;
    if (reason === 'Removal') return removals?.heldSince ?? now;
    const isRolledOut = to !== undefined && rollout?.revision === to && rollout.completedAt === undefined;
    return isRolledOut ? rollout.startedAt : now;
  }
}

function pendingRow(row: Waiting, memory: PendingMemory): PendingRow {
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
    since: memory.sinceOf(row),
  };
}

/** All that wait, in the order of the status. Never throws. */
export function pendingRows(rows: readonly Row[], memory: PendingMemory): PendingRow[] {
  return rows
    .filter(isWaiting)
    .sort(byReason)
    .map((row) => pendingRow(row, memory));
}

/** For `status.pending`: no times but those at which a wait began, so that waiting writes nothing. Never throws. */
export function pendingStatus(rows: readonly Row[], memory: PendingMemory): Pending | undefined {
  const waiting = rows.filter(isWaiting).sort(byReason);
  if (waiting.length === 0) return undefined;
  const destinations = waiting.slice(0, MAX_PENDING).map((row) => pendingRow(row, memory));
  return { total: waiting.length, destinations };
}
