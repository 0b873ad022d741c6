import { APPLICATION_UID_LABEL, CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import { keyOf as keyOfTarget } from '../model/content.js';
import { clusterKeyOf } from '../model/destinations.js';
import type { Target } from '../model/facts.js';
import { keptByRollout } from '../model/order.js';
import { verdictOf } from '../model/wanted.js';
import { targetOf } from '../record/facts.js';
import type { StepName } from '../story/steps.js';
import { placeText } from '../world/members.js';
import type { Invariant, Scene } from './types.js';

/** True if the object of its cluster leads there, or it is on the host: another name of the cluster uninstalls nothing. */
function isReached(target: Target, { memory, world }: Scene): boolean {
  if (target.cluster === world.hostUid) return true;
  const { last } = memory.targets.get(keyOfTarget(target)) ?? {};
  const object = memory.moment.world.clusters.find((each) => clusterKeyOf(each) === last?.clusterKey);
  return object?.answers === true && object.leadsTo === target.cluster;
}

/** True if a rejected entry may be about the child: then it stays until that is corrected. */
function isSpared(owner: string, { world }: Scene): boolean {
  const child = world.children().find(({ metadata }) => keyOf(metadata) === owner);
  const uid = child?.metadata.labels?.[APPLICATION_UID_LABEL];
  const application = world.applications().find(({ metadata }) => metadata.uid === uid);
  return getCondition(application?.status?.conditions, 'Stalled')?.status === 'True';
}

/** Steps after which something may be left behind, because nobody knows of it any more, or is to remove it. */
const LEAVES_BEHIND: readonly StepName[] = ['lose', 'rename', 'restore', 'lead', 'child', 'delete', 'deleteNamespace'];

/** (g) In the end nothing runs that has to go. */
export function unwantedGoes(): Invariant {
  let mayBeLeft = false;
  return {
    name: 'unwanted-goes',
    onStep: (step) => {
      mayBeLeft ||= LEAVES_BEHIND.includes(step.do) || (step.do === 'label' && CLUSTER_LABEL in step.labels);
      return [];
    },
    onEnd: (scene) => {
      const { memory, world } = scene;
      const children = new Set(world.children().map(({ metadata }) => keyOf(metadata)));
      return world.members.installed().flatMap(({ place, owner }) => {
        const target = targetOf(place);
        const { uninstall, rule } = verdictOf(memory, target);
        if (uninstall !== 'must' || !isReached(target, scene)) return [];
        if (keptByRollout(memory, target) !== undefined) return [];
        if ((mayBeLeft && !children.has(owner)) || isSpared(owner, scene)) return [];
        // Without prune, a Kustomization leaves what another path had.
        if (place.kind === 'Kustomization' && children.has(owner)) return [];
        return [`${placeText(place)} of ${owner} still runs, and has to go (${rule})`];
      });
    },
  };
}
