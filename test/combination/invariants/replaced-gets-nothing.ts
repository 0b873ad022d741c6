import isEqual from 'lodash/isEqual.js';
import {
  APPLICATION_UID_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  recordedUid,
} from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { keyOf } from '#lib/kube/keys.js';
import { isAbandoned } from '../model/applications.js';
import { keyOf as targetText } from '../model/content.js';
import { verdictOf } from '../model/wanted.js';
import { targetOfChild } from '../record/facts.js';
import type { ChildWrite } from '../record/recorder.js';
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

/** The child that the write begins to delete, if any. */
function leavingIn({ before, after }: ChildWrite): Child | undefined {
  const wasLeaving = before?.metadata.deletionTimestamp !== undefined;
  const isLeaving = after === undefined || after.metadata.deletionTimestamp !== undefined;
  return isLeaving && !wasLeaving ? before : undefined;
}

function judgeLeaving(child: Child, { world, memory }: Scene): string[] {
  const cluster = recordedUid(child);
  if (cluster === undefined) return [];
  const target = { ...targetOfChild(world, child), cluster };
  const { last } = memory.targets.get(targetText(target)) ?? {};
  const application = memory.applications.get(last?.application ?? '');
  if (last === undefined || application === undefined || isAbandoned(application, last.clusterName)) return [];
  if (verdictOf(memory, target).rule !== 'replacedDeleted') return [];
  return [`${keyOf(child.metadata)} is deleted, and its Application waits for ${cluster}, which was replaced`];
}

/** An Application that is deleted keeps the child of a cluster that was replaced: it uninstalls once that is back. */
export function replacedIsWaitedFor(): Invariant {
  return {
    name: 'replaced-is-waited-for',
    // While news is late, the controllers do not know that the cluster was replaced.
    onWrites: (writes, scene) =>
      scene.world.process.isStale
        ? []
        : writes.flatMap((each) => leavingIn(each) ?? []).flatMap((child) => judgeLeaving(child, scene)),
  };
}
