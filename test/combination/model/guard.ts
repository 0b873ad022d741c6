import { keyOf } from './content.js';
import type { ApplicationName, Target } from './facts.js';
import type { Memory } from './story.js';
import { sharesSelector } from './removal.js';
import type { TargetMemory } from './targets.js';
import { verdictOf } from './wanted.js';

/** Returns the targets that would be removed or reinstalled now and need room within `maxRemovals`, or an approval. */
export function waitingFor(memory: Memory, name: ApplicationName): readonly Target[] {
  return runningOf(memory, name)
    .map(({ target }) => target)
    .filter((target) => verdictOf(memory, target).isGuarded);
}

const runningOf = ({ targets }: Memory, name: ApplicationName): TargetMemory[] =>
  [...targets.values()].filter(({ last, run }) => last?.application === name && run !== undefined);

/** True if a user approved the removal or reinstallation of the target, and it has waited since. */
export function isApproved({ applications, targets }: Memory, target: Target): boolean {
  const key = keyOf(target);
  const application = targets.get(key)?.last?.application ?? '';
  return applications.get(application)?.approved.has(key) === true;
}

interface Counts {
  /** Releases of selectors that run, and that ran before the first removal of the last hour. */
  readonly ran: number;
  /** Removals of the last hour without an approval, and those that are due. */
  readonly removed: number;
}

/** The default is 10 or 20%, whichever is more, and never the last of several. */
function exceedsDefault({ ran, removed }: Counts): boolean {
  return removed > Math.max(10, Math.floor(ran / 5)) || (ran > 1 && removed >= ran);
}

/** True if so many removals need an approval. A percentage is rounded down, and `0%` is 0. */
export function exceeds(maxRemovals: string | number | undefined, { ran, removed }: Counts): boolean {
  if (maxRemovals === undefined) return exceedsDefault({ ran, removed });
  const [, percent] = /^(\d+)%$/.exec(String(maxRemovals)) ?? [];
  const limit = percent === undefined ? Number(maxRemovals) : Math.floor((ran * Number(percent)) / 100);
  return removed > limit;
}

/** Changes that uninstall first always need an approval. */
function alwaysAsks(memory: Memory, target: Target): boolean {
  const { rule, isGuarded } = verdictOf(memory, target);
  return isGuarded && ['orphanMoved', 'movedEntry', 'templateChart', 'guardedChange', 'chartName'].includes(rule);
}

/** True for what a selector released, or a selector of the spec would. */
function isCounted({ applications }: Memory, { last, target }: TargetMemory): boolean {
  const application = applications.get(last?.application ?? '');
  return last?.way === 'clusterSelector' || (application !== undefined && sharesSelector(application, target));
}

const named = (targets: readonly Target[], name: string): number => targets.filter((each) => each.name === name).length;

/** Targets that are removed, and those that were, or run. */
interface Removals {
  readonly removing: readonly Target[];
  /** Removals without an approval in the 60 minutes before. */
  readonly before: readonly Target[];
  readonly running: readonly Target[];
}

/** The default also holds for the releases of one name alone. */
function exceedsForOneName({ removing, before, running }: Removals): boolean {
  return [...new Set(removing.map(({ name }) => name))].some((name) => {
    const past = named(before, name);
    return exceedsDefault({ ran: named(running, name) + past, removed: named(removing, name) + past });
  });
}

/** True if so many removals without an approval are too many, or one of them always needs one. */
export function needsApproval(
  memory: Memory,
  name: ApplicationName,
  { removing, before }: Pick<Removals, 'removing' | 'before'>,
): boolean {
  const maxRemovals = memory.applications.get(name)?.object.spec.maxRemovals;
  if (removing.some((target) => alwaysAsks(memory, target))) return true;
  if (removing.length === 0) return false;
  const running = runningOf(memory, name)
    .filter((known) => isCounted(memory, known))
    .map(({ target }) => target);
  const counts = { ran: running.length + before.length, removed: removing.length + before.length };
  const isOver = exceeds(maxRemovals, counts);
  return isOver || (maxRemovals === undefined && exceedsForOneName({ removing, before, running }));
}

/**
 * True if nothing of what waits may be removed without an approval. `before` are the removals without one in the 60
 * minutes before. False doesn't say that an earlier hold has ended.
 */
export function asksForApproval(memory: Memory, name: ApplicationName, before: readonly Target[]): boolean {
  const removing = waitingFor(memory, name).filter((target) => !isApproved(memory, target));
  return needsApproval(memory, name, { removing, before });
}
