import type { Application } from '#api/v1alpha1/application.js';
import { getCondition } from '#lib/kube/conditions.js';
import { isDryRun } from '../model/objects.js';
import type { Claim } from '../model/targets.js';
import { modelName } from '../record/acts.js';
import { placeText } from '../world/members.js';
import { claimOf } from './rows.js';
import type { Invariant, Scene } from './types.js';

type Row = NonNullable<NonNullable<Application['status']>['destinations']>[number];

/** A row that says Ready has something that runs. */
function judgeRow(row: Row, claims: readonly Claim[], { world, memory }: Scene): string[] {
  const claim = claimOf(row, claims);
  // On another cluster than its own, what runs is that of another claim.
  if (claim?.located.found !== undefined) return [];
  if (row.state !== 'Ready' || row.wait !== undefined || claim === undefined) return [];
  // A pinned row is Ready if its revision runs.
  const { pin, clusterPins } = memory.applications.get(claim.destination.application)!; // whose claim it is
  if (pin !== undefined || clusterPins.has(claim.destination.clusterName)) return [];
  const { storage, ...target } = claim.target;
  const place = { ...target, storageNamespace: storage };
  const objects = world.members.workloadOf(place);
  const shown = `${row.name} on ${row.cluster} is Ready`;
  if (objects === undefined) return [`${shown}, and ${placeText(place)} is gone`];
  return objects.isFailed ? [`${shown}, and ${placeText(place)} failed`] : [];
}

function judge(application: Application, scene: Scene): string[] {
  const { metadata, status } = application;
  // In a dry run, the status describes the last roll-out.
  if (isDryRun(application)) return [];
  const isCurrent = status?.observedGeneration === metadata.generation && metadata.deletionTimestamp === undefined;
  if (status === undefined || !isCurrent) return [];
  const name = modelName(metadata.name);
  const claims = scene.memory.claims.filter(({ destination }) => destination.application === name);
  const rows = status.destinations ?? [];
  const isReady = getCondition(status.conditions, 'Ready')?.status === 'True';
  // Rows of what is to go are shown, and not counted.
  const wanted = rows.filter((row) => claimOf(row, claims) !== undefined && row.wait?.reason !== 'Removal');
  const failed = wanted.filter(({ state }) => state === 'Failed' || state === 'Stalled' || state === 'Unreachable');
  return [
    ...rows.flatMap((row) => judgeRow(row, claims, scene)),
    ...(isReady && failed.length > 0 ? [`Ready is True, and ${failed.map((row) => row.name).join(', ')} failed`] : []),
  ];
}

/** (h) No status reports as ready what is not, nor what is gone. */
export function statusIsTrue(): Invariant {
  return {
    name: 'status-is-true',
    onSettled: (scene) =>
      !scene.world.isAtRest() ? [] : scene.world.applications().flatMap((each) => judge(each, scene)),
  };
}
