import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { comparePending, type Identified, identityOf, type Pending, waitIdentityOf } from '#api/v1alpha1/pending.js';
import { defined } from '#lib/plain.js';
import { backendOf } from '../backends/index.js';
import { currentCondition, isAt, isInstalledFor } from '../child/metadata.js';
import { changesOf, shortened } from '../child/messages.js';
import type { Child, DesiredChild, Hold } from '../child/types.js';
import type { Outcome, Step, Wait } from '../child/verdicts.js';
import { childMessage, stateOf } from '../children/state.js';
import { gateHold } from '../destinations/personal-values.js';
import { parseRevision } from '../spec/history.js';
import type { Row, ShownRow } from './rows.js';

/** A destination of an entry that was not rejected, after a reconciliation. */
interface Situation {
  readonly step: Extract<Step, { readonly entry: unknown }>;
  readonly child: Child | undefined;
  /** As the spec wants it. */
  readonly wanted: DesiredChild;
  /** See `DesiredChild`. */
  readonly behind: Hold | undefined;
}

function gateWait({ child, wanted }: Situation): Hold | undefined {
  return child === undefined ? gateHold(wanted.entry) : undefined;
}

function revisionWait({ child, wanted, behind }: Situation): Hold | undefined {
  return isAt(child, wanted) ? undefined : behind;
}

function stepWait({ step }: Situation): Hold | undefined {
  return step.op === 'wait' && step.hold !== undefined ? { reason: step.hold, why: step.why } : undefined;
}

/** The wait of the engine for a child that is written as it is wanted. */
function engineWait({ child }: Situation): Hold | undefined {
  if (child === undefined) return undefined;
  const state = stateOf({ child, rejected: false, writeFailed: false });
  const why = childMessage(child, state);
  if (state === 'Suspended' || state === 'Unreachable') return { reason: state, why };
  if (state !== 'Pending') return undefined;
  const reason = currentCondition(child, 'Ready')?.reason;
  if (reason === 'DependencyNotReady') return { reason: 'Dependency', why };
  return reason === 'SourceNotReady' || backendOf(child).awaitsSource(child) ? { reason: 'Source', why } : undefined;
}

/** The first match wins. */
const TABLE = [gateWait, revisionWait, stepWait, engineWait];

function numberOn(child: Child | undefined): number | undefined {
  return parseRevision(child?.metadata.annotations?.[APPLICATION_REVISION]);
}

function changeFor(child: Child | undefined, { object }: DesiredChild): string {
  return child === undefined ? 'installation' : changesOf(child.spec, object.spec);
}

function removalWait(step: Step): Wait | undefined {
  if ((step.op !== 'spare' && step.op !== 'offer') || step.hold === undefined) return undefined;
  const from = numberOn(step.live);
  return { reason: step.hold, message: step.why, from, change: () => 'removal' };
}

/** The desired children of the entries that are not rejected. */
export interface Decided {
  /** As the spec wants them. */
  readonly wanted: readonly DesiredChild[];
  /** As they are to be now. */
  readonly desired: readonly DesiredChild[];
}

/**
 * The wait of the destination of an outcome; undefined: none. Rejected or failed destinations do not wait:
 * somebody has to correct it.
 */
export function waitsIn({ wanted, desired }: Decided): (outcome: Outcome) => Wait | undefined {
  // A destination at an earlier revision has the entry of that revision, at the same path.
  const byPath = new Map(wanted.map((each) => [each.entry.path, each]));
  const behind = new Map(desired.map((each) => [each.entry.path, each.behind]));
  return ({ step, child, error }) => {
    if (error !== undefined) return undefined;
    if (!('entry' in step)) return removalWait(step);
    const { path } = step.entry;
    const own = byPath.get(path);
    // A release that was installed once waits for nothing, whatever is pinned.
    if (own === undefined || isInstalledFor(own.entry, child)) return undefined;
    const situation = { step, child, wanted: own, behind: behind.get(path) };
    const [hold] = TABLE.flatMap((find) => find(situation) ?? []);
    if (hold === undefined) return undefined;
    const { reason, why: message } = hold;
    return { reason, message, from: numberOn(child), to: numberOn(own.object), change: () => changeFor(child, own) };
  };
}

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
  readonly before: Pick<ApplicationStatus, 'pending' | 'destinations' | 'truncated'> | undefined;
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

function stateIdentityOf(row: Identified & { readonly state: string }): string {
  return `${identityOf(row)} ${row.state}`;
}

/**
 * Since when destinations wait, and are in their states: in no other memory than the status, so a restart changes
 * nothing.
 */
export class PendingMemory {
  readonly #facts: Facts;
  readonly #before: ReadonlyMap<string, string>;
  /** Rows of the last status, by identity and state. */
  readonly #states: ReadonlyMap<string, string | undefined>;
  readonly #known: ReadonlySet<string>;

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#before = waitsBefore(facts.before ?? {});
    const { destinations = [] } = facts.before ?? {};
    this.#states = new Map(destinations.map((row) => [stateIdentityOf(row), row.since]));
    this.#known = new Set(destinations.map(identityOf));
  }

  /** Since when a row is in its state; undefined: the last status did not say so, or had no room for the row. */
  stateSince(row: Row): string | undefined {
    const { before, now } = this.#facts;
    const state = stateIdentityOf(row);
    if (this.#states.has(state)) return this.#states.get(state);
    const isUnlisted = before?.truncated === true && !this.#known.has(identityOf(row));
    return isUnlisted ? undefined : now;
  }

  /** The wait of a row, as the status has it; undefined: none. */
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
    // A pin begins at any time, and the rollout that it ends is not complete any more.
    const isRolledOut =
      reason !== 'Pinned' && to !== undefined && rollout?.revision === to && rollout.completedAt === undefined;
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
