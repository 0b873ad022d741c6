import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { DeletionPolicy } from '#api/v1alpha1/ownership.js';
import { timestamp } from '#lib/kube/conditions.js';
import { shortHash } from '#lib/hash.js';
import { backendOf } from '../backends/index.js';
import {
  clusterIdOf,
  type ClusterIndex,
  clusterNameOf,
  type ClusterView,
  factsOf,
  selectionOf,
} from '../child/cluster.js';
import { isInstalledOnce, isSuspendedForRemoval, isUnmanaged } from '../child/metadata.js';
import type { Child, DesiredChild } from '../child/types.js';
import type { Step } from '../child/verdicts.js';
import { isTerminating } from '../children/state.js';
import { liveReleaseKey, newReinstallationOf } from '../destinations/identity.js';

/** The children that steps remove although the inventory lacks their clusters. */
export function removedUnseen(steps: readonly Step[], clusters: ClusterIndex): Child[] {
  return steps.flatMap((step) => {
    if (step.op !== 'delete' && step.op !== 'suspend') return [];
    const id = clusterIdOf(step.live);
    return id === undefined || factsOf(clusters, id).cluster !== undefined ? [] : [step.live];
  });
}

/** The clusters, with what is known of those that the inventory lacks; see `whyUnknown`. */
export function withAbsences(clusters: ClusterView, whyUnknown: ClusterView['whyUnknown']): ClusterView {
  const whyAbsent = (id: string): string | undefined => (clusters.find(id) === undefined ? whyUnknown(id) : undefined);
  return { ...clusters, whyUnknown: (id) => clusters.whyUnknown(id) ?? whyAbsent(id) };
}

/** Why a child goes whose entry was removed. */
export const UNWANTED = 'no entry specifies it any more';

/** What may become of a child that no entry matches. */
export type Fate =
  /** No selector made it: its entry was removed, and that is the user's word. */
  | { readonly type: 'unguarded' }
  /** Nothing may be done on its cluster now; `isUnknown`: nor is it known when that changes. */
  | { readonly type: 'spared'; readonly why: string; readonly isUnknown: boolean }
  | { readonly type: 'leaving'; readonly uninstalls: true; readonly why: string; readonly replacedBy?: string }
  /** `stays`: why what it installed does. */
  | {
      readonly type: 'leaving';
      readonly uninstalls: false;
      readonly why: string;
      readonly stays: string;
      readonly replacedBy?: string;
    };

interface FateInput {
  /** What the selectors of the Application select releases for; see `selectionText` of backends. */
  readonly selections: ReadonlySet<string>;
  readonly clusters: ClusterIndex;
  readonly policy: DeletionPolicy;
  /** The new entry that a child makes room for; undefined: there is none. See `LostDestinations`. */
  readonly replacedBy: (child: Child) => { readonly why: string; readonly to: string } | undefined;
}

/** True if a selector made the child, whatever the spec says now, or would have if it matched its cluster. */
export function isSelected(child: Child, selections: ReadonlySet<string>): boolean {
  if (selectionOf(child) !== undefined) return true;
  return selections.has(backendOf(child).selectionText(liveReleaseKey(child)));
}

function spared(child: Child, why: string, isUnknown = false): Fate {
  return { type: 'spared', why: `because cluster ${clusterNameOf(child)} ${why}`, isUnknown };
}

/** What its cluster makes of a child, if that is of the inventory; undefined: it may be uninstalled there. */
function onInventory(child: Child, id: string, { clusters }: FateInput): Fate | undefined {
  const { whyUnknown, cluster, isAllowed, grantedBy } = factsOf(clusters, id);
  if (whyUnknown !== undefined) return spared(child, `may exist: ${whyUnknown}`, true);
  if (cluster === undefined) {
    const why = `cluster ${clusterNameOf(child)} is not in the inventory any more`;
    return { type: 'leaving', uninstalls: false, why, stays: why };
  }
  if (!isAllowed) {
    const by = grantedBy === undefined ? '' : `, as it was by ${grantedBy}`;
    return spared(child, `is no longer granted to ${child.metadata.namespace ?? ''}${by}`);
  }
  return cluster.isPaused ? spared(child, 'is paused') : undefined;
}

/** True if a selector made the child that is not in the spec any more. */
export function lacksSelector(child: Child, selections: ReadonlySet<string>): boolean {
  const made = selectionOf(child);
  return made !== undefined && !selections.has(made);
}

/** What a selector releases may have been changed, and then its cluster is not the reason. */
function whyUnmatched(child: Child, { selections }: FateInput): string {
  return lacksSelector(child, selections) ? UNWANTED : `cluster ${clusterNameOf(child)} no longer matches`;
}

/** True for a record of what was installed once: it stays while its selector is in the spec. */
export function isStayingRecord(child: Child, selections: ReadonlySet<string>): boolean {
  return isUnmanaged(child) && selections.has(selectionOf(child) ?? '');
}

function fateOfInstalled(child: Child, input: FateInput): Fate {
  if (isStayingRecord(child, input.selections)) {
    return spared(child, 'may match again, and what was installed once is not installed again');
  }
  return { type: 'leaving', uninstalls: false, why: whyUnmatched(child, input), stays: 'it was installed once' };
}

/** Why a child goes that a new entry replaces. */
function goesFor({ why, to }: NonNullable<ReturnType<FateInput['replacedBy']>>) {
  return { why: `${UNWANTED}, and ${why}`, replacedBy: to };
}

/**
 * What becomes of a child that no entry matches. Where a selector made it, an edit may be a mistake as well as a label.
 * Never throws.
 */
export function fateOf(child: Child, input: FateInput): Fate {
  const id = clusterIdOf(child);
  const fate = id === undefined ? undefined : onInventory(child, id, input);
  if (fate?.type === 'spared') return fate;
  const other = input.replacedBy(child);
  if (!isSelected(child, input.selections) && other === undefined) return { type: 'unguarded' };
  if (fate !== undefined) return fate;
  if (isInstalledOnce(child)) return fateOfInstalled(child, input);
  const reason = other === undefined ? { why: whyUnmatched(child, input) } : goesFor(other);
  if (input.policy !== 'Orphan') return { type: 'leaving', ...reason, uninstalls: true };
  return { type: 'leaving', ...reason, uninstalls: false, stays: 'the deletion policy of its Application is Orphan' };
}

/** True for a child whose removal has not begun. */
export function isUntouched(child: Child): boolean {
  return !isTerminating(child) && !isSuspendedForRemoval(child);
}

/** As many as the status takes. The rest needs another approval if their removal is interrupted. */
const MOST_APPROVED = 10_000;

/** A child that no entry matches any more, or that its entry changes by an uninstall. */
export interface Leaving {
  readonly child: Child;
  /** False if it is deleted without an uninstall. */
  readonly uninstalls: boolean;
  /** Why no entry matches the child, or what its entry changes. */
  readonly why: string;
  /** `Reinstallation.to` of the change; undefined: the child is deleted. */
  readonly to?: string;
  /** The release that a new entry installs in its place: that makes the deletion a reinstallation as well. */
  readonly replacedBy?: string;
  /** UID of the Application that takes it over. */
  readonly successor?: string;
}

/** True for what is installed elsewhere, or as something else, once it is uninstalled. */
export function isReinstall({ to, replacedBy }: Leaving): boolean {
  return to !== undefined || replacedBy !== undefined;
}

/**
 * Identifies what becomes of a child. It includes the destination of a move: a child that was to move and is now to be
 * deleted starts a new wait.
 */
export function fateText({
  child: { metadata },
  to,
  replacedBy,
  successor,
}: Omit<Leaving, 'uninstalls' | 'why'>): string {
  return `${metadata.uid ?? ''} ${to ?? successor ?? replacedBy ?? ''}`;
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
function markOf({ child, uninstalls, to, replacedBy = '' }: Leaving): string {
  const fate = to === undefined ? `${String(uninstalls)}${replacedBy}` : `to ${to}`;
  return shortHash(`${child.metadata.uid ?? child.metadata.name} ${fate}`);
}

function removalApproval(marks: readonly string[], heldSince: string): string {
  return shortHash([heldSince, ...marks].join('\n'));
}

/** True for exactly those that wait since then, or for the rest of those whose removal was begun. */
function isOf({ heldSince = '', approval = '', approved }: Partial<Hold>, marks: readonly string[]): boolean {
  if (approval === '') return false;
  if (approved === undefined) return approval === removalApproval(marks, heldSince);
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
  return { hold: { heldSince: since, ...extent, approval: removalApproval(marks, since) }, isApproved: false };
}

/** The `selectionText` of a child's selector, or of a selector that would release the same. */
export function selectionTextOf(child: Child): string {
  return selectionOf(child) ?? backendOf(child).selectionText(liveReleaseKey(child));
}

/**
 * The children that entries change by an uninstall, now or later in a rollout. All are included at once, so that the
 * user approves an edit only once, before the first of them. Never throws.
 */
export function movingChildren(desired: readonly DesiredChild[]): Leaving[] {
  return desired.flatMap(({ entry, live, object, later = object }): Leaving[] => {
    if (live === undefined || later === live || isTerminating(live) || entry.cluster?.isPaused === true) return [];
    const moved = newReinstallationOf(live, later);
    if (moved === undefined) return [];
    return [{ child: live, uninstalls: true, why: `it would be uninstalled first (${moved.why})`, to: moved.to }];
  });
}
