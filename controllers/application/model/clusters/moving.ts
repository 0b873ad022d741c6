import { backendOf } from '../backends/index.js';
import { liveReleaseKey } from '../identity.js';
import type { Reinstallation } from '../backends/types.js';
import { newReinstallationOf } from '../moves.js';
import { isTerminating } from '../state.js';
import type { Child, DesiredChild, Entry } from '../types.js';
import { selectionOf } from './child-cluster.js';
import { isSelected } from './leaving.js';
import type { Leaving } from './removal-approval.js';

/** What a selector releases, or would; see `selectionText` of backends. */
export function selectionTextOf(child: Child): string {
  return selectionOf(child) ?? backendOf(child).selectionText(liveReleaseKey(child));
}

/**
 * An entry without a selector speaks for its user, who may move its one release. The chart of a template is the word of
 * others, who may not know what follows it. Undefined: the move needs no guard.
 */
function guardOf(
  live: Child,
  { selection, template }: Entry,
  { isOtherChart }: Reinstallation,
  selections: ReadonlySet<string>,
): Pick<Leaving, 'template'> | undefined {
  if (selection !== undefined || isSelected(live, selections)) return {};
  if (template === undefined || !isOtherChart) return undefined;
  return { template: `${template.kind} ${template.namespace}/${template.name}` };
}

/**
 * The children that entries change in a way that their engine carries out by an uninstall, now or once a rollout lets
 * it: the approval of an edit is asked for once, before the first of them. Never throws.
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
