import { allowedFor } from './allowed.js';
import type { Target } from './facts.js';
import type { RuleName } from './rules.js';
import type { Memory } from './story.js';
import { keyOf } from './content.js';
import type { Claim } from './targets.js';

/** These take no part in a rollout: they wait for no stage, and are not held at an earlier revision. */
const NO_PART: readonly RuleName[] = ['suspended', 'once'];

/** True if a destination does not have what it wants, and may not get it now. */
function isHeldBack(memory: Memory, { key, target, destination }: Claim): boolean {
  const run = memory.targets.get(key)?.run;
  const { contents, isUndecided, rule: why } = allowedFor(memory, target);
  if (NO_PART.includes(why)) return false;
  const mayHave = contents.some(({ content, rule }) => content === destination.content && rule !== 'keepsRevision');
  return run?.content !== destination.content && !isUndecided && !mayHave;
}

/**
 * Why a target that nobody wants any more has to stay for now: with a rollout, what replaces it on the cluster is held.
 * Undefined: nothing keeps it but the guard of removals.
 */
export function keptByRollout(memory: Memory, target: Target): RuleName | undefined {
  const { last } = memory.targets.get(keyOf(target)) ?? {};
  const application = memory.applications.get(last?.application ?? '');
  if (application?.object.spec.rollout === undefined || application.isLeaving) return undefined;
  const successors = memory.claims.filter((claim) => {
    const isOwn = claim.destination.application === application.name;
    return isOwn && claim.destination.clusterKey === last?.clusterKey;
  });
  return successors.some((claim) => isHeldBack(memory, claim)) ? 'oldReleaseStays' : undefined;
}
