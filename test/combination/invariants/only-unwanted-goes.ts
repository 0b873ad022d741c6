import { CLUSTER_ID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { chartOf, keyOf as targetText } from '../model/content.js';
import { verdictOf } from '../model/wanted.js';
import { targetOf, targetOfChild } from '../record/facts.js';
import type { ChildWrite } from '../record/recorder.js';
import type { Step } from '../story/steps.js';
import type { ActionRecord } from '../world/members.js';
import { contentOf } from '../world/targets.js';
import type { World } from '../world/world.js';
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

/** True if nothing ran there before, whether or not it became ready. */
const isFirst = ({ action, why }: ActionRecord): boolean =>
  action === 'install' || (action === 'failed' && why === 'install');

/** True if the child is for a cluster of the inventory: only such a one has a credential that may lead elsewhere. */
function isOfInventory({ child }: ActionRecord, { world }: Scene): boolean {
  const found = world.children().find(({ metadata }) => keyOf(metadata) === child);
  return found?.metadata.annotations?.[CLUSTER_ID_ANNOTATION] !== undefined;
}

/** All of a child that an engine would uninstall something for. */
const placeText = (child: Child, world: World): string =>
  `${targetText(targetOfChild(world, child))} ${chartOf(contentOf(child))}`;

const installText = ({ child, place }: ActionRecord): string => `${child} ${targetText(targetOf(place))}`;

/** The invariant that the removal of something breaks: what is judged apart has a name of its own. */
function invariantOf(rule: string): string {
  if (rule === 'handedOver') return HANDED_OVER;
  return rule === 'twoNames' ? 'names-of-one-cluster' : MAIN;
}

class Judge {
  readonly #name: string;
  /** UIDs of children that users deleted themselves. */
  readonly #deleted = new Set<string>();
  /** UIDs of children whose deletion began when what they have had to go. */
  readonly #leaving = new Set<string>();
  /** The words of children that were changed when what they had before was allowed to go, by their UIDs. */
  readonly #changed = new Map<string, string>();
  /** The releases that each child installed itself, by its name and the place. */
  readonly #installed = new Set<string>();

  constructor(name: string) {
    this.#name = name;
  }

  onStep(step: Step, { world }: Scene): void {
    if (step.do !== 'child') return;
    const leaving = world.children().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const { metadata } of leaving) this.#deleted.add(metadata.uid ?? '');
  }

  /** A child that is already being deleted is not judged again: the first rule of destinations.md for such children. */
  onWrites(writes: readonly ChildWrite[], { world, memory }: Scene): void {
    for (const { before, after } of writes) {
      if (before === undefined || before.metadata.deletionTimestamp !== undefined) continue;
      if (verdictOf(memory, targetOfChild(world, before)).uninstall === 'never') continue;
      const { uid = '' } = before.metadata;
      if (after === undefined || after.metadata.deletionTimestamp !== undefined) this.#leaving.add(uid);
      else if (placeText(before, world) !== placeText(after, world)) this.#changed.set(uid, placeText(after, world));
    }
  }

  /** True if an engine does late what was allowed when its child was changed, e.g. as the cluster did not answer. */
  #isLate({ childUid }: ActionRecord, { world }: Scene): boolean {
    const child = world.children().find(({ metadata }) => metadata.uid === childUid);
    return child !== undefined && this.#changed.get(childUid) === placeText(child, world);
  }

  judge(record: ActionRecord, scene: Scene): string[] {
    const { place, application, child, childUid, why } = record;
    if (isFirst(record) && isOfInventory(record, scene)) this.#installed.add(installText(record));
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
    if (this.#isLate(record, scene)) return true;
    if (rule === 'clusterGone' && this.#leaving.has(record.childUid)) return true;
    // It is nobody else's, e.g. if its credential led there only until the controllers knew that its cluster had left.
    return (rule === 'notOurs' && this.#installed.has(installText(record))) || isOfPin(rule, record.application, scene);
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
    onWrites: (writes, scene) => {
      judge.onWrites(writes, scene);
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
