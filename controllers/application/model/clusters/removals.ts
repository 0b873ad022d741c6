import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { parseTimestamp, timestamp } from '#controllers/runtime/pure/conditions.js';
import { shortHash } from '#controllers/runtime/pure/short-hash.js';
import type { Child } from '../types.js';

/** A cluster must be unmatched for so long: a label that flaps removes nothing. */
export const REMOVAL_DELAY_MS = 30_000;
/** Removals are counted for so long, or many small ones would remove a fleet. */
const WINDOW_MS = 3_600_000;
const MIN_RETRY_MS = 1_000;
/** While no `maxRemovals` is set: the larger one of the two. */
const DEFAULT_COUNT = 10;
const DEFAULT_PERCENT = 20;

const PERCENT = /^(100|[1-9]?[0-9])%$/;

export type MaxRemovals = number | string;

/** True for a value of `maxRemovals` that means something. */
export function isMaxRemovals(value: MaxRemovals): boolean {
  return typeof value === 'number' ? Number.isInteger(value) && value >= 0 : PERCENT.test(value);
}

/** How many of `ran` children may be removed without an approval. A percentage is rounded down. */
export function allowedRemovals(max: MaxRemovals | undefined, ran: number): number {
  if (typeof max === 'number') return max;
  const share = (percent: number): number => Math.floor((ran * percent) / 100);
  return max === undefined ? Math.max(DEFAULT_COUNT, share(DEFAULT_PERCENT)) : share(Number.parseInt(max, 10));
}

/** The removals that the status counts. */
export interface Count {
  /** RFC 3339. */
  readonly since: string;
  /** Children of selectors then. */
  readonly ran: number;
  readonly removed: number;
}

/** A child of a selector that no entry matches any more. */
export interface Leaving {
  readonly child: Child;
  /** False if it is deleted without an uninstall. */
  readonly uninstalls: boolean;
}

export interface RemovalsInput {
  readonly application: Application;
  readonly leaving: readonly Leaving[];
  /** Number of children of selectors that stay. */
  readonly staying: number;
  /** How long a child has been without an entry. */
  readonly unmatchedForMs: (child: Child) => number;
  readonly delayMs: number;
  readonly nowMs: number;
}

export interface Removals {
  /** Why a child is not removed now. */
  readonly held: ReadonlyMap<Child, string>;
  /** The value of the annotation that would approve them all; undefined if no approval is needed. */
  readonly approval: string | undefined;
  /** How many may be removed at a time. */
  readonly allowed: number;
  /** The count after so many removals. */
  readonly countAfter: (removals: number) => Count;
  /** Milliseconds until the next one may be removed, without an approval. */
  readonly retryAfterMs: number | undefined;
}

/** Changes with every child that leaves, and with what becomes of its release: an approval is for nothing else. */
function approvalOf(leaving: readonly Leaving[]): string {
  const texts = leaving.map(({ child, uninstalls }) => `${child.metadata.uid ?? child.metadata.name} ${uninstalls}`);
  return shortHash(texts.sort().join('\n'));
}

/** The end of the hour that began at an RFC 3339 time, as epoch milliseconds; long ago for any other text. */
function endOf(since: string): number {
  return (parseTimestamp(since) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS;
}

/** The count of this hour; a new one starts with what runs now. */
function currentCount({ removals = {} }: ApplicationStatus, running: number, nowMs: number): Count {
  const { since = '', ran = running, removed = 0 } = removals;
  return endOf(since) > nowMs ? { since, ran, removed } : { since: timestamp(nowMs), ran: running, removed: 0 };
}

/** True if none of several would stay: of those that ran in this hour, or when removals were counted last. */
function isLastOfSeveral({ leaving, staying, application }: RemovalsInput, count: Count): boolean {
  const before = application.status?.removals?.ran ?? 0;
  return staying === 0 && Math.max(count.removed + leaving.length, before) > 1;
}

/** Too many need an approval, all of them: without a limit set, so does the last one of several. */
function isTooMany(input: RemovalsInput, count: Count): boolean {
  const max = input.application.spec.maxRemovals;
  if (max === undefined && isLastOfSeveral(input, count)) return true;
  return count.removed + input.leaving.length > allowedRemovals(max, count.ran);
}

/** The children that must still be unmatched for a while, each with the milliseconds. */
function settling({ leaving, unmatchedForMs, delayMs }: RemovalsInput): Map<Child, number> {
  const left = leaving.map(({ child }) => [child, delayMs - unmatchedForMs(child)] as const);
  return new Map(left.filter(([, ms]) => ms > 0));
}

/**
 * Decides which children of selectors may be removed that no entry matches any more: none of them if they are more than
 * `maxRemovals` in an hour, unless the annotation approves exactly these. Never throws.
 */
export function guardRemovals(input: RemovalsInput): Removals {
  const { application, leaving, staying, nowMs, delayMs } = input;
  const max = application.spec.maxRemovals;
  const running = leaving.length + staying;
  const count = currentCount(application.status ?? {}, running, nowMs);
  const allowed = allowedRemovals(max, count.ran);
  const approval = approvalOf(leaving);
  const isApproved = application.metadata.annotations?.[APPROVE_REMOVALS_ANNOTATION] === approval;
  if (leaving.length > 0 && isApproved) {
    // What was removed without an approval still counts, and what was approved raises no limit.
    const countAfter = (removals: number): Count => ({ ...count, ran: Math.min(count.ran, running - removals) });
    return { held: new Map(), approval: undefined, allowed, countAfter, retryAfterMs: undefined };
  }
  const countAfter = (removals: number): Count => ({ ...count, removed: count.removed + removals });
  if (leaving.length > 0 && isTooMany(input, count)) {
    const why = 'because no entry is for it any more, and so many removals need an approval: see RemovalsHeld';
    const held = new Map(leaving.map(({ child }) => [child, why]));
    const retryAfterMs = Math.max(endOf(count.since) - nowMs, MIN_RETRY_MS);
    return { held, approval, allowed, countAfter, retryAfterMs };
  }
  const open = settling(input);
  const why = `because an entry was for it until just now: it is removed after ${delayMs / 1_000} s`;
  const held = new Map([...open.keys()].map((child) => [child, why]));
  const retryAfterMs = open.size === 0 ? undefined : Math.min(...open.values());
  return { held, approval: undefined, allowed, countAfter, retryAfterMs };
}
