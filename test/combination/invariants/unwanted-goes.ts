import { APPLICATION_UID_LABEL, CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import { keptByRollout } from '../model/order.js';
import { verdictOf } from '../model/wanted.js';
import { targetOf } from '../record/facts.js';
import type { StepName } from '../story/steps.js';
import { placeText } from '../world/members.js';
import type { Invariant, Scene } from './types.js';

/** Members to which objects of the inventory lead, or that are the host: others are out of reach. */
function reached({ memory, world }: Scene): Set<string> {
  const led = memory.moment.world.clusters.flatMap(({ leadsTo, answers }) => (answers ? (leadsTo ?? []) : []));
  return new Set([...led, world.hostUid]);
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
      const members = reached(scene);
      const children = new Set(world.children().map(({ metadata }) => keyOf(metadata)));
      return world.members.installed().flatMap(({ place, owner }) => {
        const target = targetOf(place);
        const { uninstall, rule } = verdictOf(memory, target);
        if (uninstall !== 'must' || !members.has(place.cluster)) return [];
        if (keptByRollout(memory, target) !== undefined) return [];
        if ((mayBeLeft && !children.has(owner)) || isSpared(owner, scene)) return [];
        // Without prune, a Kustomization leaves what another path had.
        if (place.kind === 'Kustomization' && children.has(owner)) return [];
        return [`${placeText(place)} of ${owner} still runs, and has to go (${rule})`];
      });
    },
  };
}
