import { keyOf as targetText } from '../model/content.js';
import { verdictOf } from '../model/wanted.js';
import { targetOf } from '../record/facts.js';
import type { Step } from '../story/steps.js';
import type { ActionRecord } from '../world/members.js';
import { isOtherPath } from './other-path.js';
import type { Invariant, Scene } from './types.js';

/** The invariant of what is not judged apart. */
const MAIN = 'only-unwanted-goes';
/** That of what one Application hands over to another. */
const HANDED_OVER = 'releases-are-handed-over';

/** Returns true if a pinned revision suspended the target: the model doesn't look at `suspend` of earlier revisions. */
function isOfPin(rule: string, uid: string | undefined, { memory }: Scene): boolean {
  const own = [...memory.applications.values()].find(({ object }) => object.metadata.uid === uid);
  return rule === 'suspendedDeleted' && (own?.pin !== undefined || (own?.clusterPins.size ?? 0) > 0);
}

/** True if something does not run any more after it. */
function isRemoval({ action, isWhole }: ActionRecord): boolean {
  return isWhole && (action === 'uninstall' || action === 'prune');
}

/** The invariant that the removal of something breaks: what is judged apart has a name of its own. */
function invariantOf(rule: string): string {
  if (rule === 'handedOver') return HANDED_OVER;
  return rule === 'twoNames' ? 'names-of-one-cluster' : MAIN;
}

class Judge {
  readonly #name: string;
  /** UIDs of children that users deleted themselves. */
  readonly #deleted = new Set<string>();
  #wasStale = false;

  constructor(name: string) {
    this.#name = name;
  }

  onStep(step: Step, { world }: Scene): void {
    this.#wasStale ||= step.do === 'stale';
    if (step.do !== 'child') return;
    const leaving = world.children().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const { metadata } of leaving) this.#deleted.add(metadata.uid ?? '');
  }

  judge(record: ActionRecord, scene: Scene): string[] {
    const { place, application, child, childUid, why } = record;
    if (!isRemoval(record) || application === undefined || this.#deleted.has(childUid)) return [];
    const target = targetOf(place);
    const { uninstall, is, rule } = verdictOf(scene.memory, target);
    if (uninstall !== 'never' || this.#isExcused(rule, record, scene)) return [];
    if (invariantOf(rule) !== this.#name) return [];
    return [`${targetText(target)} is ${is} (${rule}), and was uninstalled: ${child}, ${why}`];
  }

  #isExcused(rule: string, record: ActionRecord, scene: Scene): boolean {
    // An earlier Application left it behind, so it is no path that this one had.
    if (rule !== 'orphan' && isOtherPath(record, scene)) return true;
    // The controllers installed it while they did not know yet that a label had changed.
    return (rule === 'notOurs' && this.#wasStale) || isOfPin(rule, record.application, scene);
  }
}

const judgedAs = (name: string) => (): Invariant => {
  const judge = new Judge(name);
  return {
    name,
    onStep: (step, scene) => {
      judge.onStep(step, scene);
      return [];
    },
    onActions: (actions, scene) => actions.flatMap((each) => judge.judge(each, scene)),
  };
};

/** (a) Nothing is uninstalled that users want, or that has to stay. */
export const onlyUnwantedGoes = judgedAs(MAIN);
/** (a) Another name of the same cluster uninstalls nothing. */
export const namesOfOneCluster = judgedAs('names-of-one-cluster');
/** (a) What another Application wants as it is is not uninstalled. */
export const releasesAreHandedOver = judgedAs(HANDED_OVER);
