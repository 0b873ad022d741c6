import { eachAllowed } from '../model/allowed.js';
import type { ApplicationMemory } from '../model/applications.js';
import { keyOf, type Content } from '../model/content.js';
import type { Destination } from '../model/destinations.js';
import { viewsOf } from '../model/rollout.js';
import { stageOf } from '../model/stages.js';
import type { Claim } from '../model/targets.js';
import { isPinned } from '../model/verdict.js';
import { isOfReplaced, verdictOf } from '../model/wanted.js';
import { targetOfChild } from '../record/facts.js';
import type { Invariant, Scene } from './types.js';

/** True if the destination can be reached, and is the one that its child was for. */
function isInReach({ destination }: Claim, scene: Scene): boolean {
  const { way, cluster, leadsTo } = destination;
  if (leadsTo === undefined || isOfReplaced(destination, scene.memory)) return false;
  return way === 'host' || cluster?.answers === true;
}

/** The model doesn't know which versions a range means. */
const isRange = (content: Content | undefined): boolean => content?.includes('.x"') === true;

/** True if two entries have one name. The model rejects both only if both have a destination. */
function isNameShared({ entryName, entry }: Destination, { revisions }: ApplicationMemory): boolean {
  const entries = revisions.at(-1)?.wish.entries ?? [];
  return entryName !== undefined && entries.some(({ name, index }) => name === entryName && index !== entry);
}

/** True if the destination takes no part, or the documentation doesn't say what it gets. */
function isLeft({ destination }: Claim, application: ApplicationMemory): boolean {
  const { content, isSuspended: isAsleep, cluster, clusterName } = destination;
  if (isAsleep || cluster?.paused === true || isPinned(application, clusterName)) return true;
  return application.stalled !== undefined || isRange(content) || isNameShared(destination, application);
}

/** True if the model knows what runs there in the end, whatever happened before. */
function isCertain(claim: Claim, scene: Scene): boolean {
  const { memory } = scene;
  const application = memory.applications.get(claim.destination.application);
  const { is, isGuarded } = verdictOf(memory, claim.target);
  if (application === undefined || is !== 'wanted' || isGuarded || isLeft(claim, application)) return false;
  if (isBehindRemoval(claim, scene) || isBesideDouble(claim, scene) || isWantedTwice(claim, scene)) return false;
  return isInReach(claim, scene) && !isSuspended(claim, scene) && !isBehindOpenStage(claim, scene);
}

/** True if somebody suspended its child, which is left as it is then. */
function isSuspended({ target }: Claim, { world }: Scene): boolean {
  const suspended = world.children().filter(({ spec }) => spec.suspend === true);
  return suspended.some((each) => keyOf(targetOfChild(world, each)) === keyOf(target));
}

/** True if two children have one release on the same cluster: neither moves, as the other one would lose it. */
function isBesideDouble({ target }: Claim, { world }: Scene): boolean {
  const targets = world.children().map((child) => targetOfChild(world, child));
  const there = targets.filter(({ cluster, kind }) => cluster === target.cluster && kind === target.kind).map(keyOf);
  return new Set(there).size < there.length;
}

/** True if an Application wants it under two names of the cluster and has it under neither: both are rejected. */
function isWantedTwice({ key, destination: { application } }: Claim, { memory, world }: Scene): boolean {
  if (world.children().some((child) => keyOf(targetOfChild(world, child)) === key)) return false;
  const own = memory.claims.map(({ destination }) => destination).filter((each) => each.application === application);
  // Where a name leads now counts: whether another cluster was accepted for it may be unknown.
  const keys = own.flatMap(({ place, leadsTo }) => (leadsTo ? [keyOf({ ...place, cluster: leadsTo })] : []));
  return keys.filter((each) => each === key).length > 1;
}

/** True if something still waits for its removal on the same cluster: what replaces it comes later. */
function isBehindRemoval({ target }: Claim, { memory }: Scene): boolean {
  return [...memory.targets.values()].some(({ target: other, run }) => {
    const isNear = other.cluster === target.cluster && other.kind === target.kind && keyOf(other) !== keyOf(target);
    return isNear && run !== undefined && verdictOf(memory, other).is !== 'wanted';
  });
}

/** True if the target may have its content now, and nothing else, whichever destination it is for. */
function isFree({ target, destination }: Claim, { memory }: Scene): boolean {
  return eachAllowed(memory, target).every(({ contents, isUndecided }) => {
    const started = contents.filter(({ rule }) => rule !== 'keepsRevision').map(({ content }) => content);
    // A target that may go back to an earlier revision may stay there.
    return !isUndecided && started.length > 0 && started.every((content) => content === destination.content);
  });
}

/** True if an earlier stage was passed and is open again, e.g. as it cannot be reached: nobody says if its proof holds. */
function isBehindOpenStage({ destination }: Claim, { memory }: Scene): boolean {
  const application = memory.applications.get(destination.application);
  const rollout = memory.rollouts.get(destination.application);
  const spec = application?.object.spec.rollout;
  if (application === undefined || rollout === undefined || spec === undefined || rollout.isComplete) return false;
  const views = viewsOf(application, memory, rollout.failing);
  const index = views.findIndex(({ stage }) => stage.name === stageOf(spec, destination));
  return views.slice(0, index).some(({ isSettled, isProven }) => !isSettled || !isProven);
}

function judge(claim: Claim, scene: Scene): string[] {
  const { content } = claim.destination;
  const run = scene.memory.targets.get(claim.key)?.run;
  const isThere = run?.state === 'Ready' && run.content === content;
  if (isThere || content === undefined || !isCertain(claim, scene) || !isFree(claim, scene)) return [];
  return [`nothing keeps ${content} from ${keyOf(claim.target)}, which has ${run?.content ?? 'nothing'}`];
}

/** (g) In the end everything runs that users want and that nothing keeps from running. */
export function wantedComes(): Invariant {
  return {
    name: 'wanted-comes',
    onEnd: (scene) => scene.memory.claims.flatMap((claim) => judge(claim, scene)),
  };
}
