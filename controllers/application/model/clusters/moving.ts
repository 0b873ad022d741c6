import { backendOf } from '../backends/index.js';
import { liveReleaseKey } from '../identity.js';
import type { Reinstallation } from '../backends/types.js';
import { newReinstallationOf } from '../moves.js';
import { isTerminating } from '../state.js';
import type { Child, DesiredChild, Entry } from '../types.js';
import { selectionOf } from './child-cluster.js';
import { isSelected } from './leaving.js';
import type { Leaving } from './removal-approval.js';

/** The `selectionText` of a child's selector, or of a selector that would release the same. */
export function selectionTextOf(child: Child): string {
  return selectionOf(child) ?? backendOf(child).selectionText(liveReleaseKey(child));
}

/**
 * Whether a move needs a guard; undefined: it does not. What an entry without a selector says itself, its author means.
 * But another team may change the chart in a template without knowing which releases follow it.
 */
function guardOf(
  live: Child,
  { selection, template }: Entry,
  { isOtherChart }: Reinstallation,
  selections: ReadonlySet<string>,
): Pick<Leaving, 'byTemplate'> | undefined {
  if (template !== undefined && isOtherChart) return { byTemplate: true };
  return selection !== undefined || isSelected(live, selections) ? {} : undefined;
}

/**
 * The children that entries change by an uninstall, now or later in a rollout. All are included at once, so that the
 * user approves an edit only once, before the first of them. Never throws.
 */
export function movingChildren(desired: readonly DesiredChild[], selections: ReadonlySet<string>): Leaving[] {
  return desired.flatMap(({ entry, live, object, later = object }): Leaving[] => {
    if (live === undefined || later === live || isTerminating(live) || entry.cluster?.isPaused === true) return [];
    const moved = newReinstallationOf(live, later);
    const guard = moved === undefined ? undefined : guardOf(live, entry, moved, selections);
    if (moved === undefined || guard === undefined) return [];
    const why = `it would be uninstalled first (${moved.why})`;
    return [{ child: live, uninstalls: true, why, to: moved.to, ...guard }];
  });
}
