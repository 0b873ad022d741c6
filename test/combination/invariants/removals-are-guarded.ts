import type { Child } from '#controllers/application/model/child/types.js';
import { chartOf, keyOf } from '../model/content.js';
import type { Target } from '../model/facts.js';
import { isApproved, needsApproval, waitingFor } from '../model/guard.js';
import { verdictOf } from '../model/wanted.js';
import { modelName } from '../record/acts.js';
import { isOfAnother, targetOfChild } from '../record/facts.js';
import type { ChildWrite } from '../record/recorder.js';
import type { Step } from '../story/steps.js';
import { contentOf } from '../world/targets.js';
import type { Invariant, Scene } from './types.js';

/** Milliseconds for which a cluster must not match before its release goes. */
const DELAY_MS = 30_000;
/** Milliseconds in which removals count together. */
const HOUR_MS = 3_600_000;

function isReplaced(before: Child, after: Child, scene: Scene): boolean {
  const [old, now] = [targetOfChild(scene.world, before), targetOfChild(scene.world, after)];
  // Another path of the same files is an edit like any other.
  if (before.kind === 'Kustomization') return old.namespace !== now.namespace || old.cluster !== now.cluster;
  return keyOf(old) !== keyOf(now) || chartOf(contentOf(before)) !== chartOf(contentOf(after));
}

/** The target that an engine uninstalls because of this write; undefined: it uninstalls nothing. */
function removedBy({ before, after }: ChildWrite, scene: Scene): Target | undefined {
  if (before === undefined || before.metadata.deletionTimestamp !== undefined) return undefined;
  const isDeleted = after === undefined || after.metadata.deletionTimestamp !== undefined;
  // Engines do nothing for what is suspended.
  if ((isDeleted ? before : after).spec.suspend === true) return undefined;
  const isRemoved = isDeleted || isReplaced(before, after, scene);
  return isRemoved && !isOfAnother(scene.world, before) ? targetOfChild(scene.world, before) : undefined;
}

interface Removal {
  readonly target: Target;
  readonly owner: string;
}

/** True if the target is to go, or only a dry run keeps it. A cluster that stops to match in a dry run has stopped. */
function hasStopped({ memory }: Scene, target: Target): boolean {
  const { isGuarded, rule } = verdictOf(memory, target);
  return isGuarded || rule === 'dryRun';
}

/** Follows what needs room within `maxRemovals`, and judges what becomes of it. */
class Guard {
  /** Since when each guarded target is to go, by its key. */
  readonly #since = new Map<string, number>();
  readonly #removed: (Removal & { readonly atMs: number })[] = [];

  /** True if somebody approved removals when none could wait. */
  hasVainApproval = false;

  onStep(step: Step, scene: Scene): void {
    const { memory, world } = scene;
    if (step.do === 'approve' && step.what === 'removals') {
      this.hasVainApproval ||= waitingFor(memory, modelName(step.app)).length === 0;
    }
    for (const [key, { target, run }] of memory.targets) {
      if (run === undefined || !hasStopped(scene, target)) this.#since.delete(key);
      else if (!this.#since.has(key)) this.#since.set(key, world.nowMs);
    }
  }

  judge(writes: readonly ChildWrite[], scene: Scene): string[] {
    const removals = writes.flatMap((write) => this.#guarded(removedBy(write, scene), scene));
    const owners = new Set(removals.map(({ owner }) => owner));
    const found = [...owners].flatMap((owner) =>
      this.#judgeOwner(
        owner,
        removals.filter((each) => each.owner === owner).map(({ target }) => target),
        scene,
      ),
    );
    for (const each of removals) this.#removed.push({ ...each, atMs: scene.world.nowMs });
    return found;
  }

  /** The removal, if it is one of a release that runs, needs room and was not approved. */
  #guarded(target: Target | undefined, { memory }: Scene): Removal[] {
    const known = target === undefined ? undefined : memory.targets.get(keyOf(target));
    const owner = known?.last?.application;
    if (target === undefined || known?.run === undefined || owner === undefined) return [];
    return verdictOf(memory, target).isGuarded && !isApproved(memory, target) ? [{ target, owner }] : [];
  }

  #judgeOwner(owner: string, removing: readonly Target[], { memory, world }: Scene): string[] {
    const recent = this.#removed.filter((each) => each.owner === owner && world.nowMs - each.atMs < HOUR_MS);
    const before = recent.map(({ target }) => target);
    const shown = removing.map(keyOf).join(', ');
    if (needsApproval(memory, owner, { removing, before })) return [`without an approval, this goes: ${shown}`];
    const early = removing.filter((target) => world.nowMs - (this.#since.get(keyOf(target)) ?? -Infinity) < DELAY_MS);
    return early.map((target) => `${keyOf(target)} goes less than 30 s after it stopped to match`);
  }
}

const guarded = (name: string, isMine: (guard: Guard) => boolean) => (): Invariant => {
  const guard = new Guard();
  return {
    name,
    onStep: (step, scene) => {
      guard.onStep(step, scene);
      return [];
    },
    // While news is late, the controllers obey what users said before.
    onWrites: (writes, scene) => {
      const found = scene.world.process.isStale ? [] : guard.judge(writes, scene);
      return isMine(guard) ? found : [];
    },
  };
};

/** (a) What selectors release goes after a while, within limits, or after an approval of exactly that. */
export const removalsAreGuarded = guarded('removals-are-guarded', ({ hasVainApproval }) => !hasVainApproval);
/** (a) Nothing is approved while nobody can tell what waits. */
export const approvalsAreOfSomething = guarded('approvals-are-of-something', ({ hasVainApproval }) => hasVainApproval);
