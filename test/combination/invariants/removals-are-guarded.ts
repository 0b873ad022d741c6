import { keyOf } from '../model/content.js';
import type { Memory } from '../model/story.js';
import { verdictOf } from '../model/wanted.js';
import { modelName } from '../record/acts.js';
import { targetOf } from '../record/facts.js';
import type { Step } from '../story/steps.js';
import type { ActionRecord } from '../world/members.js';
import { isRemoval } from './only-unwanted-goes.js';
import { isOtherPath } from './other-path.js';
import type { Invariant, Scene } from './types.js';

/** Milliseconds for which a cluster must not match before its release goes. */
const DELAY_MS = 30_000;

/** Since when a guarded target is not wanted, and how many like it were wanted then. */
interface Unwanted {
  readonly sinceMs: number;
  readonly alike: number;
}

/** Returns the same text for everything that a selector releases, whatever the cluster. */
function alikeText(key: string): string {
  return key
    .split('|')
    .filter((_, index) => index !== 1)
    .join('|');
}

/** The keys of targets that one Application wants, of any selector. */
function selectedBy({ claims }: Memory, application: string | undefined): string[] {
  const own = claims.filter(({ destination }) => destination.application === application);
  return own.filter(({ destination }) => destination.way === 'clusterSelector').map(({ target }) => keyOf(target));
}

/** Follows what selectors release, and what becomes of it when they don't any more. */
class Guard {
  /** Keys of the targets that the selectors of each Application released before the last step. */
  readonly #selected = new Map<string, readonly string[]>();
  readonly #unwanted = new Map<string, Unwanted>();
  readonly #approved = new Set<string>();

  onStep(step: Step, { memory, world }: Scene): void {
    if (step.do === 'approve' && step.what === 'removals') this.#approved.add(modelName(step.app));
    for (const name of memory.applications.keys()) {
      const now = selectedBy(memory, name);
      const before = this.#selected.get(name) ?? [];
      const left = before.filter((key) => !now.includes(key));
      for (const key of left) {
        const alike = before.filter((each) => alikeText(each) === alikeText(key)).length;
        if (!this.#unwanted.has(key)) this.#unwanted.set(key, { sinceMs: world.nowMs, alike });
      }
      for (const key of now) this.#unwanted.delete(key);
      this.#selected.set(name, now);
    }
  }

  judge(record: ActionRecord, scene: Scene): string[] {
    const { place, atMs, child } = record;
    const { memory } = scene;
    const key = keyOf(targetOf(place));
    const unwanted = this.#unwanted.get(key);
    const owner = memory.targets.get(key)?.owner;
    if (unwanted === undefined || owner === undefined || this.#approved.has(owner)) return [];
    if (!isRemoval(record) || isOtherPath(record, scene) || !verdictOf(memory, targetOf(place)).isGuarded) return [];
    if (atMs - unwanted.sinceMs < DELAY_MS)
      return [`${key} was uninstalled ${atMs - unwanted.sinceMs} ms after it stopped to match: ${child}`];
    return this.#isLast(memory, owner, key, unwanted)
      ? [`${key} was uninstalled without an approval, and none of ${unwanted.alike} is left: ${child}`]
      : [];
  }

  #isLast(memory: Memory, owner: string, key: string, { alike }: Unwanted): boolean {
    const { maxRemovals } = memory.applications.get(owner)?.object.spec ?? {};
    if (maxRemovals !== undefined || alike < 2) return false;
    return !selectedBy(memory, owner).some((each) => alikeText(each) === alikeText(key));
  }
}

/** (a) What selectors release goes after a while, and never the last of several without an approval. */
export function removalsAreGuarded(): Invariant {
  const guard = new Guard();
  return {
    name: 'removals-are-guarded',
    onStep: (step, scene) => {
      guard.onStep(step, scene);
      return [];
    },
    onActions: (actions, scene) => actions.flatMap((each) => guard.judge(each, scene)),
  };
}
