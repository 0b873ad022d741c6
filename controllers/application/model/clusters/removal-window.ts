import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { parseTimestamp, timestamp } from '#controllers/runtime/pure/conditions.js';

/** Removals count for so long at least, or many small ones would remove a fleet. */
const WINDOW_MS = 3_600_000;
/** Those within so long of the clock are counted as one, until the last of them may not count any more. */
const SLOT_MS = 300_000;
/** More than slots are in an hour: a clock that goes back can make more. */
const MOST_SLOTS = 20;

/** Removals as the status has them. */
export type Counted = NonNullable<NonNullable<ApplicationStatus['removals']>['counted']>[number];

function endOf({ until }: Counted): number {
  return parseTimestamp(until) ?? Number.NEGATIVE_INFINITY;
}

/** Removals without an approval, as of one moment: in no span of an hour are they more than `removed` ever was. */
export class RemovalWindow {
  readonly #live: readonly Counted[];
  readonly #running: number;
  readonly #nowMs: number;
  /** Number of removals that count. */
  readonly removed: number;
  /** Children of selectors that ran before the first one of them; without any, those that run now. */
  readonly ran: number;
  /** The most that ran when removals were counted last, however long ago. */
  readonly ranBefore: number;

  /** `running`: children of selectors now. */
  constructor(counted: readonly Counted[], running: number, nowMs: number) {
    this.#live = counted.filter((each) => endOf(each) > nowMs);
    this.#running = running;
    this.#nowMs = nowMs;
    this.removed = this.#live.reduce((sum, { removed }) => sum + removed, 0);
    this.ran = this.#live[0]?.ran ?? running;
    this.ranBefore = Math.max(0, ...counted.map(({ ran }) => ran));
  }

  /** Milliseconds until fewer removals count; undefined if none does. */
  get fewerAfterMs(): number | undefined {
    return this.#live.length === 0 ? undefined : Math.min(...this.#live.map(endOf)) - this.#nowMs;
  }

  /** With so many removals now. */
  after(removed: number): Counted[] {
    const until = timestamp((Math.floor(this.#nowMs / SLOT_MS) + 1) * SLOT_MS + WINDOW_MS);
    const last = this.#live.at(-1);
    if (last === undefined) return [{ until, ran: this.#running, removed }];
    if (last.until !== until && this.#live.length < MOST_SLOTS) {
      return [...this.#live, { until, ran: this.#running, removed }];
    }
    const later = last.until > until ? last.until : until;
    return [...this.#live.slice(0, -1), { until: later, ran: last.ran, removed: last.removed + removed }];
  }

  /** With so many approved removals now: they do not count, and the children are no base of a percentage any more. */
  afterApproved(removed: number): Counted[] {
    const left = this.#running - removed;
    return this.after(0).map((each) => ({ ...each, ran: Math.min(each.ran, left) }));
  }
}
