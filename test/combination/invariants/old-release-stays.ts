import { keptByRollout } from '../model/order.js';
import { verdictOf } from '../model/wanted.js';
import { targetOf } from '../record/facts.js';
import type { ActionRecord } from '../world/members.js';
import { placeText } from '../world/members.js';
import { isOtherPath } from './other-path.js';
import type { Invariant, Scene } from './types.js';

function judge(record: ActionRecord, scene: Scene): string[] {
  const { action, application, child, isWhole, place } = record;
  const isRemoval = isWhole && (action === 'uninstall' || action === 'prune');
  if (!isRemoval || application === undefined || isOtherPath(record, scene)) return [];
  const target = targetOf(place);
  const { is, rule } = verdictOf(scene.memory, target);
  const isLeft = is === 'unwanted' || rule === 'movedEntry';
  if (!isLeft || keptByRollout(scene.memory, target) === undefined) return [];
  return [`${placeText(place)} was uninstalled (${child}), and what replaces it may not be deployed yet`];
}

/** (a) An old release stays on a cluster where the new one has to wait. */
export function oldReleaseStays(): Invariant {
  return {
    name: 'old-release-stays',
    onActions: (actions, scene) => actions.flatMap((each) => judge(each, scene)),
  };
}
