import type { Application } from '#api/v1alpha1/application.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf } from '../model/content.js';
import { isDryRun } from '../model/objects.js';
import type { Claim } from '../model/targets.js';
import { verdictOf } from '../model/wanted.js';
import { modelName } from '../record/acts.js';
import type { Invariant, Scene } from './types.js';

/** True for what takes no part, or is of somebody else. */
function isLeft({ target, destination }: Claim, { memory }: Scene): boolean {
  const { application: name, clusterName, isSuspended, cluster, isOnce, mayBeOnce, rejected } = destination;
  const application = memory.applications.get(name);
  const isPinned = application?.pin !== undefined || application?.clusterPins.has(clusterName) === true;
  const isOthers = memory.targets.get(keyOf(target))?.owner !== name;
  const takesNoPart = [isSuspended, cluster?.paused === true, isPinned, isOnce, mayBeOnce, isOthers];
  return takesNoPart.includes(true) || rejected !== undefined || verdictOf(memory, target).is !== 'wanted';
}

function judgeClaim(claim: Claim, scene: Scene): string[] {
  const { target, destination } = claim;
  if (destination.content === undefined || isLeft(claim, scene)) return [];
  const run = scene.memory.moment.runs.find((each) => keyOf(each.target) === keyOf(target));
  if (run?.content === destination.content && run.state === 'Ready') return [];
  return [`RolledOut is True, and ${keyOf(target)} runs ${run?.state ?? 'nothing'} ${run?.content ?? ''}`];
}

function judge(application: Application, scene: Scene): string[] {
  const { metadata, status } = application;
  // In a dry run, the status describes the last roll-out.
  if (isDryRun(application)) return [];
  const isCurrent = status?.observedGeneration === metadata.generation && metadata.deletionTimestamp === undefined;
  const rolledOut = getCondition(status?.conditions, 'RolledOut');
  if (!isCurrent || rolledOut?.status !== 'True') return [];
  // Then it is said that not all have the revision.
  if (rolledOut.message.includes(', but ')) return [];
  const name = modelName(metadata.name);
  const claims = scene.memory.claims.filter(({ destination }) => destination.application === name);
  return claims.flatMap((claim) => judgeClaim(claim, scene));
}

/** (h) No status reports as rolled out what does not run everywhere. */
export function rolledOutIsTrue(): Invariant {
  return {
    name: 'rolled-out-is-true',
    onSettled: (scene) =>
      scene.world.isAtRest() ? scene.world.applications().flatMap((each) => judge(each, scene)) : [],
  };
}
