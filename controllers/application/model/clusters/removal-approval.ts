import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { timestamp } from '#controllers/runtime/pure/conditions.js';
import { shortHash } from '#controllers/runtime/pure/short-hash.js';
import type { Child } from '../types.js';

/** As many as the status takes. The rest needs another approval if their removal is interrupted. */
const MOST_APPROVED = 10_000;

/** A child of a selector that no entry matches any more, or that its entry changes by an uninstall. */
export interface Leaving {
  readonly child: Child;
  /** False if it is deleted without an uninstall. */
  readonly uninstalls: boolean;
  /** Why no entry is for it, or what its entry changes. */
  readonly why: string;
  /** What its entry changes it to; undefined: it is deleted. See `Reinstallation`. */
  readonly to?: string;
  /** The template whose change moves it, if that counts and no selector does. */
  readonly template?: string;
}

/** Removals that wait for an approval, or have it, as the status keeps them. */
export interface Hold {
  /** RFC 3339: when exactly these began to wait. */
  readonly heldSince: string;
  /** The most that waited since any began to: one that is paused or unknown for a moment makes them no fewer. */
  readonly most: number;
  /** How many children ran then, at most. */
  readonly ran: number;
  /** The value of the annotation that approves them. */
  readonly approval: string;
  /** The children that the approval is being carried out for; undefined: none is removed yet. */
  readonly approved?: string[];
}

/** Changes with what becomes of the release of the child. */
function markOf({ child, uninstalls, to }: Leaving): string {
  const fate = to === undefined ? String(uninstalls) : `to ${to}`;
  return shortHash(`${child.metadata.uid ?? child.metadata.name} ${fate}`);
}

function approvalOf(marks: readonly string[], heldSince: string): string {
  return shortHash([heldSince, ...marks].join('\n'));
}

/** True for exactly those that wait since then, or for the rest of those whose removal was begun. */
function isOf({ heldSince = '', approval = '', approved }: Partial<Hold>, marks: readonly string[]): boolean {
  if (approval === '') return false;
  if (approved === undefined) return approval === approvalOf(marks, heldSince);
  const known = new Set(approved);
  return marks.every((mark) => known.has(mark));
}

/** What a hold of these is about, as one that goes on; `removals` is the status, as an older controller may have written it. */
export function extentOf(
  removals: ApplicationStatus['removals'],
  leaving: readonly Leaving[],
  running: number,
): Pick<Hold, 'most' | 'ran'> {
  const { length } = leaving;
  if (removals?.heldSince === undefined || removals.approved !== undefined) return { most: length, ran: running };
  return {
    most: Math.max(removals.most ?? removals.held ?? 0, length),
    ran: Math.min(removals.ran ?? running, running),
  };
}

/**
 * The hold of those that leave of `running` children, and whether it is approved: by the value that the status has for
 * exactly these, which wait since then. One whose removals were begun is for the rest of them, and nothing else. Never
 * throws.
 */
export function holdOf(
  { metadata, status }: Application,
  leaving: readonly Leaving[],
  running: number,
  nowMs: number,
): { readonly hold: Hold; readonly isApproved: boolean } {
  const marks = leaving.map(markOf).sort();
  const before = status?.removals ?? {};
  const { heldSince = '', approval = '', approved } = before;
  const extent = extentOf(before, leaving, running);
  const isSame = isOf(before, marks);
  if (isSame && metadata.annotations?.[APPROVE_REMOVALS_ANNOTATION] === approval) {
    return { hold: { heldSince, ...extent, approval, approved: marks.slice(0, MOST_APPROVED) }, isApproved: true };
  }
  const since = isSame && approved === undefined ? heldSince : timestamp(nowMs);
  return { hold: { heldSince: since, ...extent, approval: approvalOf(marks, since) }, isApproved: false };
}
