import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { timestamp } from '#controllers/runtime/pure/conditions.js';
import { shortHash } from '#controllers/runtime/pure/short-hash.js';
import type { Child } from '../types.js';
import { clusterNameOf } from './child-cluster.js';

/** As many as the status takes. The rest needs another approval if their removal is interrupted. */
const MOST_APPROVED = 10_000;

/** A child of a selector that no entry matches any more, or that its entry changes by an uninstall. */
export interface Leaving {
  readonly child: Child;
  /** False if it is deleted without an uninstall. */
  readonly uninstalls: boolean;
  /** Why no entry matches the child, or what its entry changes. */
  readonly why: string;
  /** `Reinstallation.to` of the change; undefined: the child is deleted. */
  readonly to?: string;
  /** The template of its Application moves it, so the guard is for the template and not for a selector. */
  readonly byTemplate?: true;
}

/**
 * Identifies what becomes of a child. It includes the destination of a move: a child that was to move and is now to be
 * deleted starts a new wait.
 */
export function fateText({ child: { metadata }, to }: Pick<Leaving, 'child' | 'to'>): string {
  return `${metadata.uid ?? ''} ${to ?? ''}`;
}

/** Removals that wait for an approval, or have it, as the status keeps them. */
export interface Hold {
  /** RFC 3339: when exactly these began to wait. */
  readonly heldSince: string;
  /** The children that waited since the hold began, by hash, unless the spec now keeps them or they are gone. */
  readonly waiting: string[];
  /** The largest number of children that waited since then. */
  readonly most: number;
  /** The smallest number of running children since the hold began. */
  readonly ran: number;
  /** The value of the annotation that approves them. */
  readonly approval: string;
  /** The children that the approval is being carried out for; undefined: none is removed yet. */
  readonly approved?: string[];
}

/** Identifies a child in `Hold.waiting`. */
function waitMark({ metadata: { uid, name } }: Child): string {
  return shortHash(uid ?? name);
}

/** Tells who waited. An older version wrote only the names of the first clusters. */
function waitedIn({ waiting, clusters, truncated }: NonNullable<ApplicationStatus['removals']>) {
  const known = new Set(waiting ?? clusters);
  if (waiting !== undefined) return (child: Child): boolean => known.has(waitMark(child));
  return (child: Child): boolean => truncated === true || known.has(clusterNameOf(child));
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

/** The children that may be removed. Those in `open` are neither in `leaving` nor kept by the spec now. */
export interface Candidates {
  readonly leaving: readonly Leaving[];
  readonly open: readonly Child[];
  /** Number of all children of selectors. */
  readonly running: number;
}

/**
 * The extent of a hold for these children. An active hold in the status is continued, even if an older version wrote
 * it, or its approval was withdrawn.
 */
export function extentOf(
  removals: ApplicationStatus['removals'],
  { leaving, open, running }: Candidates,
): Pick<Hold, 'waiting' | 'most' | 'ran'> {
  const now = leaving.map(({ child }) => child);
  const isActive = removals?.heldSince !== undefined;
  const waited = isActive ? open.filter(waitedIn(removals)) : [];
  const waiting = [...new Set([...now, ...waited].map(waitMark))].sort();
  const known = isActive ? Math.max(removals.most ?? removals.held ?? 0, waiting.length) : waiting.length;
  const ran = isActive ? Math.min(removals.ran ?? running, running) : running;
  return { waiting: waiting.slice(0, MOST_APPROVED), most: known, ran };
}

/**
 * The hold of these children, and whether it is approved. The annotation must have the value that
 * the status shows for exactly these children. Once removals have begun, that approval covers only the rest of them.
 * Never throws.
 */
export function holdOf(
  { metadata, status }: Application,
  candidates: Candidates,
  nowMs: number,
): { readonly hold: Hold; readonly isApproved: boolean } {
  const marks = candidates.leaving.map(markOf).sort();
  const before = status?.removals ?? {};
  const { heldSince = '', approval = '', approved } = before;
  const extent = extentOf(before, candidates);
  const isSame = isOf(before, marks);
  if (isSame && metadata.annotations?.[APPROVE_REMOVALS_ANNOTATION] === approval) {
    return { hold: { heldSince, ...extent, approval, approved: marks.slice(0, MOST_APPROVED) }, isApproved: true };
  }
  const since = isSame && approved === undefined ? heldSince : timestamp(nowMs);
  return { hold: { heldSince: since, ...extent, approval: approvalOf(marks, since) }, isApproved: false };
}
