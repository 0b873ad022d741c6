import isEqual from 'lodash/isEqual.js';
import type { Application } from '#api/v1alpha1/application.js';
import { isMap } from '#lib/plain.js';
import type { ChartContent } from '../model/content.js';
import { keyOf, type Content } from '../model/content.js';
import { modelName } from '../record/acts.js';
import { claimOf } from './rows.js';
import type { Invariant, Scene } from './types.js';

type Waiting = NonNullable<NonNullable<Application['status']>['pending']>['destinations'][number];

/** Reasons of what waits for its turn: its change is known. */
const IN_TURN: readonly string[] = ['Approval', 'Stage', 'Bake', 'Paused', 'Budget', 'Failures'];

/** The paths of all values that differ. */
function differing(one: unknown, other: unknown, path: string): string[] {
  if (!isMap(one) || !isMap(other)) return isEqual(one, other) ? [] : [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differing(one[key], other[key], `${path}.${key}`));
}

function valuesOf(content: Content): object | undefined {
  const [chart = {}] = JSON.parse(content) as Partial<ChartContent>[];
  return chart.values;
}

/** True if the text names the path, or a map that has it and is new or gone as a whole. */
function isNamed(path: string, change = ''): boolean {
  const words = new Set(change.split(/[\s,]+/));
  const keys = path.split('.');
  return change.includes(path) || keys.some((_, index) => words.has(keys.slice(0, index).join('.')));
}

function judge(row: Waiting, name: string, { memory }: Scene): string[] {
  const own = memory.claims.filter(({ destination }) => destination.application === name);
  const claim = claimOf(row, own);
  const run = claim === undefined ? undefined : memory.targets.get(keyOf(claim.target))?.run;
  const wanted = claim?.destination.content;
  if (run === undefined || wanted === undefined || !IN_TURN.includes(row.reason)) return [];
  const differences = differing(valuesOf(run.content), valuesOf(wanted), 'values');
  const missing = differences.filter((path) => !isNamed(path, row.change));
  return missing.length === 0 ? [] : [`${row.name} waits, and "${row.change ?? ''}" lacks ${missing.join(', ')}`];
}

/** Judges each row that waits, of every Application whose status is about its spec. */
function judgedAtRest(scene: Scene, judgeRow: typeof judge): string[] {
  if (!scene.world.isAtRest()) return [];
  return scene.world.applications().flatMap(({ metadata, status }) => {
    if (status?.observedGeneration !== metadata.generation) return [];
    return (status?.pending?.destinations ?? []).flatMap((row) => judgeRow(row, modelName(metadata.name), scene));
  });
}

/** (h) What waits says what would change. */
export function pendingSaysWhat(): Invariant {
  return {
    name: 'pending-says-what',
    onSettled: (scene) => judgedAtRest(scene, judge),
  };
}

function judgeWait({ reason, change, name: row, ...place }: Waiting, name: string, { memory }: Scene): string[] {
  const own = memory.claims.filter(({ destination }) => destination.application === name);
  const claim = claimOf(place, own);
  const run = claim === undefined ? undefined : memory.targets.get(claim.key)?.run;
  const isThere = run?.state === 'Ready' && run.content === claim?.destination.content;
  if (reason !== 'ClusterPaused' || change !== undefined || !isThere) return [];
  return [`${row} waits for its cluster, and has what it wants`];
}

/** (h) What is as it is wanted waits for nothing. */
export function onlyChangesWait(): Invariant {
  return {
    name: 'only-changes-wait',
    onSettled: (scene) => judgedAtRest(scene, judgeWait),
  };
}
