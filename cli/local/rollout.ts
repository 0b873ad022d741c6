import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { oneLine } from '#lib/text/text.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { padded, widthOf } from '../output/model/text.js';
import { print } from '../output/standard-output.js';
import { followUntil } from './readiness.js';

/** The version to roll out, and the clusters that get it first. */
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

/** The sample that gets a new version, and that version. */
const NAME = 'first-light';
const CHANGE: Change = { version: '1.5.0', canary: 'stage-kubeconfig' };

/** Field manager of a user who types `kubectl patch`. */
const FIELD_MANAGER = 'kubectl-patch';
const LIMIT_MS = 180_000;

/** The objects of the demo, with earlier revisions of the Application that gets another one. */
export function withHistory(objects: readonly KubeObject[]): KubeObject[] {
  return objects.map((object) => {
    if (object.kind !== applicationResource.kind || object.metadata.name !== NAME) return object;
    const { spec } = object as Application; // by its kind
    return { ...object, spec: { ...spec, revisionHistoryLimit: 3 } };
  });
}

export interface Showing {
  readonly kube: Kube;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Rolls a new version out in two stages, and prints a line when a cluster has it. Throws at the limit. */
export async function showRollout({ kube, namespace, signal }: Showing): Promise<void> {
  const chart = { version: CHANGE.version };
  const body = { spec: { rollout: twoStages(CHANGE), fluxApp: { spec: { config: { helmRelease: { chart } } } } } };
  print(`\nRolling ${NAME} ${CHANGE.version} out in two stages:`);
  await kube.patch(
    applicationResource,
    { name: NAME, namespace },
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER },
  );
  const printed = new Set<string>();
  let latest: Application | undefined;
  const isDone = await followUntil(kube, { namespace, signal, limitMs: LIMIT_MS }, (all) => {
    latest = all.find(({ metadata }) => metadata.name === NAME);
    if (latest === undefined) return false;
    for (const line of rolloutLines(latest, CHANGE).filter((each) => !printed.has(each))) {
      printed.add(line);
      print(`  ${line}`);
    }
    return isRolledOut(latest, CHANGE);
  });
  if (isDone) return;
  const { message = 'it has no status' } = latest?.status?.rollout ?? {};
  throw new Error(`${NAME} was not rolled out after ${LIMIT_MS / 1_000} s: ${message}`);
}
