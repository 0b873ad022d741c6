import isEqual from 'lodash/isEqual.js';
import { APPLICATION_UID_LABEL, CLUSTER_ID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { keyOf } from '#controllers/runtime/pure/keys.js';
import type { ActionRecord } from '../world/members.js';
import type { Invariant, Scene } from './types.js';

/** A child of the same Application for the same cluster of the inventory, that is for another one by its UID. */
function haltedBeside(child: Child, uid: string, { world }: Scene): Child | undefined {
  const placeOf = ({ metadata: { annotations, labels } }: Child): unknown[] => [
    annotations?.[CLUSTER_ID_ANNOTATION],
    labels?.[APPLICATION_UID_LABEL],
  ];
  return world.children().find((other) => {
    const recorded = other.metadata.annotations?.[CLUSTER_UID_ANNOTATION];
    return isEqual(placeOf(other), placeOf(child)) && recorded !== undefined && recorded !== uid;
  });
}

function judge({ action, child: key, place, application }: ActionRecord, scene: Scene): string[] {
  const child = scene.world.children().find(({ metadata }) => keyOf(metadata) === key);
  const isInstall = action === 'install' || action === 'upgrade' || action === 'failed';
  if (!isInstall || application === undefined || child === undefined) return [];
  if (child.metadata.annotations?.[CLUSTER_ID_ANNOTATION] === undefined) return [];
  const other = haltedBeside(child, place.cluster, scene);
  if (other === undefined) return [];
  return [`${key} was installed on ${place.cluster}, and ${keyOf(other.metadata)} says that its cluster was replaced`];
}

/** On a cluster that took the place of another one, nothing is installed until that is accepted. */
export function replacedGetsNothing(): Invariant {
  const accepted = new Set<string>();
  return {
    name: 'replaced-gets-nothing',
    onStep: (step) => {
      if (step.do === 'accept' || step.do === 'restore') accepted.add(step.do);
      return [];
    },
    onActions: (actions, scene) => (accepted.size > 0 ? [] : actions.flatMap((each) => judge(each, scene))),
  };
}
