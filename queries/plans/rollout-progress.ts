import omit from 'lodash/omit.js';
import sumBy from 'lodash/sumBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { IGNORE_WINDOWS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { stagesOf } from '#controllers/application/model/rollout/stages.js';
import { windowsAt } from '#controllers/application/model/rollout/windows.js';
import { parseDuration } from '#lib/duration.js';
import { getCondition, parseTimestamp, timestamp } from '#lib/kube/conditions.js';
import { describeObject } from '#lib/net/urls.js';
import { defined } from '#lib/plain.js';
import type { PendingView, RolloutView } from '../answers/application.js';
import type { ProgressRow, RolloutProgress, StageProgress, WindowProgress } from '../answers/rollout-progress.js';
import { isCurrent, NEWEST_IS_OPEN } from '../views/application-view.js';
import { rolloutCommands } from '../views/next-command.js';
import { pendingViews } from '../views/pending-view.js';

/** A stage of the spec, with the windows of the whole rollout where it has none. */
type StageSpec = Partial<ReturnType<typeof stagesOf>[number]>;
type Stage = RolloutView['stages'][number];
type Row = NonNullable<NonNullable<Application['status']>['destinations']>[number];

/** Something else of the same name may be removed meanwhile. */
function keyOf(name: string, cluster: string, reason: string): string {
  return JSON.stringify([name, cluster, reason]);
}

function rowOf(row: Row, namespace: string | undefined, waits: ReadonlyMap<string, PendingView>): ProgressRow {
  const { name, cluster = '', state, since = '', revision = '', wait, message = '' } = row;
  const told = wait && waits.get(keyOf(name, cluster, wait.reason))?.message;
  const waiting = wait === undefined ? {} : { waitsFor: wait.reason, waitsSince: wait.since };
  const child = row.child === undefined ? '' : describeObject(row.child.kind, { namespace, name: row.child.name });
  return { name, cluster, child, state, since, revision, ...waiting, message: told ?? message };
}

function isIgnored({ metadata, status }: Application): boolean {
  const { revision, id = String(revision) } = status?.rollout ?? {};
  return metadata.annotations?.[IGNORE_WINDOWS_ANNOTATION] === id;
}

function specOf({ spec: { rollout = {} } }: Application, { name }: Stage): StageSpec {
  return { ...defined({ windows: rollout.windows }), ...stagesOf(rollout).find((each) => each.name === name) };
}

/** A stage that nothing of is to be started waits for no window. */
function windowOf(application: Application, stage: Stage, nowMs: number): WindowProgress | undefined {
  const { windows = [] } = specOf(application, stage);
  const isBack = application.status?.rollout?.rolledBack !== undefined;
  if (windows.length === 0 || stage.waiting === 0 || isBack) return undefined;
  if (isIgnored(application)) return { state: 'Ignored' };
  const { open, nextMs } = windowsAt(windows, nowMs);
  return { state: open ? 'Open' : 'Closed', ...(nextMs === undefined ? {} : { until: timestamp(nextMs) }) };
}

function bakesUntil(application: Application, stage: Stage): string | undefined {
  if (stage.phase !== 'Baking') return undefined;
  const { bakeTime = '' } = specOf(application, stage);
  const [settledMs, bakeMs] = [parseTimestamp(stage.settledAt ?? ''), parseDuration(bakeTime)];
  return settledMs === undefined || bakeMs === undefined ? undefined : timestamp(settledMs + bakeMs);
}

/** Why a rollout does not go on, whatever its status says of it: the spec as a whole is refused, or it is to go. */
function whyOver({ metadata, status }: Application): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'the Application is being deleted';
  const [rolledOut, stalled] = ['RolledOut', 'Stalled'].map((type) => getCondition(status?.conditions, type));
  // Stalled may also be about one destination.
  const isRefused = stalled?.status === 'True' && rolledOut?.reason === stalled.reason;
  return isRefused ? `nothing is rolled out: ${stalled.message}` : undefined;
}

/**
 * How far the rollout of an Application is, by its status and the windows of its spec, or why that cannot be said.
 * `nowMs`: epoch milliseconds. Never throws.
 */
export function rolloutProgress(
  application: Application,
  nowMs: number,
): RolloutProgress | { readonly problem: string } {
  const { metadata, spec, status = {} } = application;
  const { rollout, destinations = [] } = status;
  if (spec.rollout === undefined) return { problem: 'it has no spec.rollout: changes reach all destinations at once' };
  if (rollout === undefined) return { problem: 'no rollout of it has begun' };
  const { pending } = pendingViews([application]);
  const over = whyOver(application);
  const waits = new Map(pending.map((each) => [keyOf(each.destination, each.cluster, each.reason), each]));
  const stages = rollout.stages.map((stage): StageProgress => ({
    ...omit(stage, 'unasked'),
    ...defined({ window: windowOf(application, stage, nowMs), bakesUntil: bakesUntil(application, stage) }),
    destinations: destinations
      .filter((row) => row.stage === stage.name)
      .map((row) => rowOf(row, metadata.namespace, waits)),
  }));
  const listed = sumBy(stages, (stage) => stage.destinations.length);
  const { revision, id, phase, message, startedAt, completedAt, lastGood } = rollout;
  return {
    application: metadata.name,
    namespace: metadata.namespace ?? '',
    ...defined({ revision, id, phase, message, startedAt, completedAt, lastGood }),
    stages,
    unlisted: Math.max(0, sumBy(stages, 'total') - listed),
    warnings: [over, isCurrent(application) ? undefined : NEWEST_IS_OPEN].filter((each) => each !== undefined),
    next: over === undefined ? rolloutCommands(application) : [],
  };
}
