import { keyOf } from '#lib/kube/keys.js';
import type { ChildWrite } from '../record/recorder.js';
import type { ActionRecord } from '../world/members.js';
import type { Invariant, Scene } from './types.js';

/** An uninstall by which something gets another name, place or chart. */
function isMove({ action, why, application }: ActionRecord): boolean {
  return action === 'uninstall' && application !== undefined && why !== 'deleted';
}

/** Follows which events may be lost, because a controller that is killed tells nobody. */
class Losses {
  /** Children that were written while an event may have been lost, and did not move since. */
  readonly #children = new Set<string>();
  #mayBeLost = false;
  #isCrashDue = false;

  step(name: string): void {
    this.#isCrashDue ||= name === 'crash';
    // Somebody else's edit is nobody's move.
    this.#mayBeLost ||= this.#isCrashDue || name === 'restore' || name === 'child' || name === 'stale';
  }

  settled({ world }: Scene): void {
    this.#isCrashDue &&= world.process.isToDie;
    if (world.isAtRest()) this.#mayBeLost = this.#isCrashDue;
  }

  written(writes: readonly ChildWrite[]): void {
    if (!this.#mayBeLost) return;
    for (const { metadata } of writes.flatMap(({ after }) => after ?? [])) this.#children.add(keyOf(metadata));
  }

  /** True if the event of this move may be lost. */
  take(child: string): boolean {
    return this.#children.delete(child) || this.#mayBeLost;
  }
}

/** (i) Before something is uninstalled to be installed again, an event says so. */
export function movesAreTold(): Invariant {
  /** How many events there were when each child moved last. */
  const heard = new Map<string, number>();
  const losses = new Losses();
  let judged = 0;
  const judge = ({ child, why }: ActionRecord, { world: { told } }: Scene): string[] => {
    const isTold = told.slice(heard.get(child) ?? 0).some(({ reason }) => reason === 'Moving');
    heard.set(child, told.length);
    const isExcused = losses.take(child);
    if (!isExcused) judged += 1;
    return isExcused || isTold ? [] : [`${child} was uninstalled (${why}), and no event Moving says so`];
  };
  return {
    name: 'moves-are-told',
    judged: () => judged,
    onStep: ({ do: name }) => {
      losses.step(name);
      return [];
    },
    onWrites: (writes) => {
      losses.written(writes);
      return [];
    },
    onActions: (actions, scene) => actions.filter(isMove).flatMap((each) => judge(each, scene)),
    onSettled: (scene) => {
      losses.settled(scene);
      return [];
    },
  };
}
