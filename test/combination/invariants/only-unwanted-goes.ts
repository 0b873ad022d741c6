import { keyOf as targetText } from '../model/content.js';
import { verdictOf } from '../model/wanted.js';
import { targetOf } from '../record/facts.js';
import type { ActionRecord } from '../world/members.js';
import { isOtherPath } from './other-path.js';
import type { Invariant, Scene } from './types.js';

/** Returns true if a pinned revision suspended the target: the model doesn't look at `suspend` of earlier revisions. */
function isOfPin(rule: string, uid: string | undefined, { memory }: Scene): boolean {
  const own = [...memory.applications.values()].find(({ object }) => object.metadata.uid === uid);
  return rule === 'suspendedDeleted' && (own?.pin !== undefined || (own?.clusterPins.size ?? 0) > 0);
}

/** True if something does not run any more after it. */
export function isRemoval({ action, isWhole }: ActionRecord): boolean {
  return isWhole && (action === 'uninstall' || action === 'prune');
}

/** (a) Nothing is uninstalled that users want, or that has to stay. */
export function onlyUnwantedGoes(): Invariant {
  /** UIDs of children that users deleted themselves. */
  const deleted = new Set<string>();
  let wasStale = false;
  const judge = (record: ActionRecord, scene: Scene): string[] => {
    const { place, application, child, childUid, why } = record;
    if (!isRemoval(record) || application === undefined || deleted.has(childUid)) return [];
    const target = targetOf(place);
    const { uninstall, is, rule } = verdictOf(scene.memory, target);
    if (uninstall !== 'never' || isOtherPath(record, scene) || isOfPin(rule, application, scene)) return [];
    // The controllers installed it while they did not know yet that a label had changed.
    if (rule === 'notOurs' && wasStale) return [];
    return [`${targetText(target)} is ${is} (${rule}), and was uninstalled: ${child}, ${why}`];
  };
  return {
    name: 'only-unwanted-goes',
    onStep: (step, { world }) => {
      wasStale ||= step.do === 'stale';
      const leaving = world.children().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      if (step.do === 'child') for (const { metadata } of leaving) deleted.add(metadata.uid ?? '');
      return [];
    },
    onActions: (actions, scene) => actions.flatMap((each) => judge(each, scene)),
  };
}
