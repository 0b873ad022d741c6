import type { Content } from './content.js';
import type { Destination } from './destinations.js';
import type { Run } from './facts.js';
import type { News, TargetMemory } from './targets.js';

/** True if the cluster does not answer, or there is no valid credential for it. */
export const isOutOfReach = ({ leadsTo, way, cluster }: Destination): boolean =>
  leadsTo === undefined || (way !== 'host' && cluster?.answers !== true);

const isReadyFor = (run: Run | undefined, content: Content | undefined): boolean =>
  run?.state === 'Ready' && (content === undefined || run.content === content);

/** Once installed, it stays so until its mode is another one, or it is not wanted any more. */
function isOnceNow(before: TargetMemory, destination: Destination | undefined, run: Run | undefined): boolean {
  if (destination === undefined) return before.isOnce;
  if (!destination.isOnce) return before.isOnce && destination.mayBeOnce;
  // A destination that is Ready when its mode becomes Once counts as installed, whatever its content.
  const wasContinuous = before.last?.isOnce === false;
  return before.isOnce || isReadyFor(run, wasContinuous ? undefined : destination.content);
}

/** True if its child is not Ready, so that its row does not become `Unmanaged`, although what runs there is. */
function isNotReady({ installedAt = Infinity }: TargetMemory, destination: Destination, { run, applications }: News) {
  const since = applications.get(destination.application)?.since ?? 0;
  // A restored child has no status until its engine tries what it is to become.
  const isRestored = installedAt < since && run?.content !== destination.content;
  return isOutOfReach(destination) || isRestored;
}

/** Whether a target was installed once after a moment, and whether its child says so. */
export function onceNow(before: TargetMemory, destination: Destination | undefined, news: News) {
  const isOnce = isOnceNow(before, destination, news.run);
  const isSeen = news.moment.isSettled && destination !== undefined && !isNotReady(before, destination, news);
  return { isOnce, isOnceRecorded: isOnce && (before.isOnceRecorded || isSeen) };
}

/**
 * True if its child says that it was installed once, and nothing has ended that since. While its cluster does not
 * answer, a child that does not say so yet is not Ready, and works as with `Continuous`.
 */
export function isLeftAlone(known: TargetMemory, destination: Destination): boolean {
  const isUnseen = !known.isOnceRecorded && isOutOfReach(destination);
  return known.isOnce && !known.isOnceDoubtful && !isUnseen;
}
