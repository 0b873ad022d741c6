import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { getCondition, isTrue } from '#controllers/runtime/pure/conditions.js';
import { printDuration } from '#controllers/runtime/pure/duration.js';
import {
  notReady,
  withCondition,
  withoutConditions,
  type PassMoment,
  type Problem,
} from '../../shared/model/progress.js';
import { readRequests } from '../../shared/model/requests.js';
import { intervalMs } from '../../shared/model/timing.js';
import { withResult } from './history.js';
import { retryMs } from './timing.js';
import type { Observed, Outcome, Plan, Rejection } from './types.js';

const ORIGIN_REVISION = 'org.opencontainers.image.revision';
const SHOWN_CHANGES = 100;
/** As Flux: a longer message fits into no condition of its. */
const MAX_MESSAGE = 20_000;

export interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** How a reconciliation ends. */
export interface Conclusion {
  readonly status: KustomizationStatus;
  readonly events: readonly Event[];
  readonly requeueAfterMs: number;
}

/** Everything that happened. */
export interface Story {
  readonly kustomization: Kustomization;
  /** The status by now: while it was at work, it may have said so. */
  readonly status: KustomizationStatus;
  readonly observed: Pick<Observed, 'artifact' | 'digest'>;
  readonly plan: Plan | Rejection;
  readonly outcome: Outcome;
  readonly moment: PassMoment;
}

/** One line for each object that changed, a bounded number of them. */
function changeLines({ changes, pruned }: Outcome): string[] {
  const changed = changes.filter(({ action }) => action === 'created' || action === 'configured');
  const lines = [
    ...changed.map(({ subject, action }) => `${subject} ${action}`),
    ...pruned.map((subject) => `${subject} deleted`),
  ];
  const rest = lines.length - SHOWN_CHANGES;
  return rest > 0 ? [...lines.slice(0, SHOWN_CHANGES), `and ${rest} more`] : lines;
}

/** After a failure the inventory keeps what it had, and what was to come: nothing is forgotten. */
function inventoryOf(
  status: KustomizationStatus,
  plan: Plan | Rejection,
  { problem }: Outcome,
): Pick<KustomizationStatus, 'inventory'> {
  if (plan.kind === 'reject') return pick(status, 'inventory');
  const isWhole = problem === undefined || problem.reason === 'HealthCheckFailed';
  return { inventory: { entries: [...(isWhole ? plan.inventory : plan.ahead)] } };
}

function bounded({ reason, message }: NonNullable<Outcome['problem']>): NonNullable<Outcome['problem']> {
  return { reason, message: message.slice(0, MAX_MESSAGE) };
}

/** Healthy is there while something is checked; a check that passes again says what it said before. */
function withHealth(status: KustomizationStatus, { plan, outcome, moment }: Story): KustomizationStatus {
  const { problem, healthyAfterMs } = outcome;
  if (problem?.reason === 'HealthCheckFailed') {
    return withCondition(status, moment, { type: 'Healthy', status: 'False', ...bounded(problem) });
  }
  if (plan.kind === 'reject' || problem !== undefined) return status;
  if (healthyAfterMs === undefined) return withoutConditions(status, 'Healthy');
  const known = getCondition(status.conditions, 'Healthy');
  const isSame = known?.status === 'True' && known.observedGeneration === moment.generation;
  const message = isSame ? known.message : `Health check passed in ${printDuration(healthyAfterMs)}`;
  return withCondition(status, moment, { type: 'Healthy', status: 'True', reason: 'Succeeded', message });
}

function withReady(status: KustomizationStatus, { observed, outcome, moment }: Story): KustomizationStatus {
  const { problem } = outcome;
  if (problem !== undefined) {
    return notReady(status, moment, { ...bounded(problem), stalled: false });
  }
  const { revision, metadata } = observed.artifact;
  const origin = metadata?.[ORIGIN_REVISION];
  const ready = withCondition(withoutConditions(status, 'Reconciling', 'Stalled'), moment, {
    type: 'Ready',
    status: 'True',
    reason: 'ReconciliationSucceeded',
    message: `Applied revision: ${revision}`,
  });
  return {
    ...omit(ready, 'lastAppliedOriginRevision'),
    ...(origin === undefined ? {} : { lastAppliedOriginRevision: origin }),
    lastAppliedRevision: revision,
    observedGeneration: moment.generation,
  };
}

function historyOf({ kustomization, status, observed, outcome, moment }: Story): KustomizationStatus['history'] {
  const { artifact, digest } = observed;
  // Without manifests there is nothing that the history could be of.
  if (digest === '') return status.history;
  const isRequested = readRequests(kustomization).handled.lastHandledReconcileAt !== status.lastHandledReconcileAt;
  const result = {
    digest,
    status: outcome.problem?.reason ?? 'ReconciliationSucceeded',
    revision: artifact.revision,
    originRevision: artifact.metadata?.[ORIGIN_REVISION],
    now: moment.now,
    durationMs: outcome.durationMs,
  };
  return withResult(status.history ?? [], result, { isNews: isRequested || changeLines(outcome).length > 0 });
}

/** The event of a failure; the same one again is no news. */
export function failureEvents(
  { status }: Pick<Kustomization, 'status'>,
  { reason, message }: Problem,
  type: Event['type'] = 'Warning',
): Event[] {
  const known = getCondition(status?.conditions, 'Ready');
  const isNews = known?.reason !== reason || known.message !== message;
  return isNews ? [{ type, reason, message }] : [];
}

function successEvents({ kustomization, outcome, status }: Story, next: KustomizationStatus): Event[] {
  const before = kustomization.status?.conditions;
  const { healthyAfterMs, durationMs } = outcome;
  const succeeded = (message: string): Event => ({ type: 'Normal', reason: 'ReconciliationSucceeded', message });
  const isRecovered = healthyAfterMs !== undefined && !isTrue(before, 'Healthy');
  const healthy = isRecovered ? (getCondition(next.conditions, 'Healthy')?.message ?? '') : '';
  const isSame = isTrue(before, 'Ready') && next.lastAppliedRevision === status.lastAppliedRevision;
  const isNews = changeLines(outcome).length > 0 || !isSame;
  const finished = `Reconciliation finished in ${printDuration(durationMs)}, next run in ${kustomization.spec.interval}`;
  return [...(healthy === '' ? [] : [succeeded(healthy)]), ...(isNews ? [succeeded(finished)] : [])];
}

function eventsOf(story: Story, next: KustomizationStatus): Event[] {
  const lines = changeLines(story.outcome);
  const { problem } = story.outcome;
  return [
    ...(lines.length === 0 ? [] : [{ type: 'Normal' as const, reason: 'Progressing', message: lines.join('\n') }]),
    ...(problem === undefined ? successEvents(story, next) : failureEvents(story.kustomization, problem)),
  ];
}

/** Status, events and the next time, from what was read, decided and done. Never throws. */
export function conclude(story: Story): Conclusion {
  const { kustomization, observed, plan, outcome } = story;
  const { spec, metadata } = kustomization;
  const history = historyOf(story);
  const base: KustomizationStatus = {
    ...story.status,
    ...inventoryOf(story.status, plan, outcome),
    lastAttemptedRevision: observed.artifact.revision,
    ...(history === undefined ? {} : { history }),
    ...pick(readRequests(kustomization).handled, 'lastHandledReconcileAt'),
  };
  const status = withReady(withHealth(base, story), story);
  const isDone = outcome.problem === undefined;
  return {
    status,
    events: eventsOf(story, status),
    requeueAfterMs: isDone ? intervalMs(spec, metadata.uid ?? '') : retryMs(spec),
  };
}
