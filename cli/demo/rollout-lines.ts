import type { Application } from '#api/v1alpha1/application.js';
import { oneLine } from '#lib/text/text.js';
import { padded, widthOf } from '../terminal/text.js';

/** What is rolled out, and where first. */
export interface Change {
  readonly version: string;
  /** Name of the cluster in the first stage. */
  readonly canary: string;
}

type Row = NonNullable<NonNullable<Application['status']>['destinations']>[number];

const [FIRST, LAST] = ['canary', 'rest'];

/** `spec.rollout` in two stages: one cluster, and then all others. */
export function twoStages({ canary }: Change): Application['spec']['rollout'] {
  return { stages: [{ name: FIRST, clusters: { names: [canary] } }] };
}

function isThere({ state, revision }: Row, { version }: Change): boolean {
  return state === 'Ready' && revision === version;
}

/** A line for each destination that has the version: stage, cluster and version, in the order of the stages. */
export function rolloutLines({ status }: Application, change: Change): string[] {
  const rows = status?.destinations ?? [];
  const stageOf = ({ cluster }: Row): string => (cluster === change.canary ? FIRST : LAST);
  const nameOf = ({ cluster = '' }: Row): string => oneLine(cluster);
  const most = Math.max(0, ...rows.map((row) => widthOf(nameOf(row))));
  const there = rows.filter((row) => isThere(row, change));
  const order = (row: Row): string => `${stageOf(row)} ${nameOf(row)}`;
  const sorted = there.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return sorted.map((row) =>
    [padded(stageOf(row), FIRST.length), padded(nameOf(row), most), change.version].join('   '),
  );
}

/** True once all that the spec says is rolled out. */
export function isRolledOut({ metadata, status }: Application, change: Change): boolean {
  const { rollout, destinations = [], observedGeneration } = status ?? {};
  const isCurrent = observedGeneration === metadata.generation && rollout?.phase === 'Complete';
  return isCurrent && destinations.every((row) => isThere(row, change));
}
