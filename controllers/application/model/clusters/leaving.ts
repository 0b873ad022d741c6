import type { DeletionPolicy } from '#api/v1alpha1/ownership.js';
import { backendOf } from '../backends/index.js';
import { liveReleaseKey } from '../identity.js';
import { isTerminating } from '../state.js';
import { isInstalledOnce } from '../once.js';
import { isSuspendedForRemoval, isUnmanaged } from '../suspension.js';
import type { Child } from '../types.js';
import { clusterIdOf, clusterNameOf, selectionOf } from './child-cluster.js';
import { factsOf, type ClusterIndex } from './types.js';

/** Why a child goes whose entry was removed. */
export const UNWANTED = 'no entry specifies it any more';

/** What may become of a child that no entry matches. */
export type Fate =
  /** No selector made it: its entry was removed, and that is the user's word. */
  | { readonly type: 'unguarded' }
  /** Nothing may be done on its cluster now; `isUnknown`: nor is it known when that changes. */
  | { readonly type: 'spared'; readonly why: string; readonly isUnknown: boolean }
  | { readonly type: 'leaving'; readonly uninstalls: true; readonly why: string }
  /** `stays`: why what it installed does. */
  | { readonly type: 'leaving'; readonly uninstalls: false; readonly why: string; readonly stays: string };

interface FateInput {
  /** What the selectors of the Application select releases for; see `selectionText` of backends. */
  readonly selections: ReadonlySet<string>;
  readonly clusters: ClusterIndex;
  readonly policy: DeletionPolicy;
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

/** While its selector is in the spec, the child stays as a record of what was installed. */
function fateOfInstalled(child: Child, input: FateInput): Fate {
  if (isUnmanaged(child) && input.selections.has(selectionOf(child) ?? '')) {
    return spared(child, 'may match again, and what was installed once is not installed again');
  }
  return { type: 'leaving', uninstalls: false, why: whyUnmatched(child, input), stays: 'it was installed once' };
}

/**
 * What becomes of a child that no entry matches. Where a selector made it, an edit may be a mistake as well as a label.
 * Never throws.
 */
export function fateOf(child: Child, input: FateInput): Fate {
  const id = clusterIdOf(child);
  const fate = id === undefined ? undefined : onInventory(child, id, input);
  if (fate?.type === 'spared') return fate;
  if (!isSelected(child, input.selections)) return { type: 'unguarded' };
  if (fate !== undefined) return fate;
  if (isInstalledOnce(child)) return fateOfInstalled(child, input);
  const why = whyUnmatched(child, input);
  if (input.policy !== 'Orphan') return { type: 'leaving', uninstalls: true, why };
  return { type: 'leaving', uninstalls: false, why, stays: 'the deletion policy of its Application is Orphan' };
}

/** True for a child whose removal has not begun. */
export function isUntouched(child: Child): boolean {
  return !isTerminating(child) && !isSuspendedForRemoval(child);
}
