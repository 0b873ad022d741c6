import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { KustomizationStatus, Kustomization } from '#api/flux/kustomization.js';
import { printDuration } from '#lib/duration.js';
import { getCondition, isTrue } from '#lib/kube/conditions.js';
import { WaitingError } from '#lib/errors.js';
import {
  atInterval,
  afterError,
  isReported,
  withProblem,
  type Conclusion,
  type End,
  type Failure,
} from '#engine/flux/model/conclusion.js';
import { clusterKeys } from '#engine/flux/model/cluster.js';
import { masked } from '#engine/flux/model/masks.js';
import { mergePatch } from '#engine/flux/model/merge-patch.js';
import {
  notReady,
  withCondition,
  withoutConditions,
  type PassMoment,
  type Problem,
} from '#engine/flux/model/progress.js';
import { readRequests } from '#engine/flux/model/requests.js';
import type { NewEvent } from '#engine/flux/model/types.js';
import { claimsAfter, inventoryAfter } from './after-apply.js';
import { APPLIED, isInventoryHere } from './neighbours.js';
import { retryMs } from './timing.js';
import type { Acted, Observed, Plan } from './types.js';

type History = NonNullable<KustomizationStatus['history']>;
type Entry = History[number];

const KEPT = 5;

/** One result of a reconciliation. */
export interface Result {
  readonly digest: string;
  /** Reason of Ready. */
  readonly status: string;
  readonly revision: string;
  readonly originRevision?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
  readonly durationMs: number;
}

function isSame({ digest, lastReconciledStatus }: Entry, result: Result): boolean {
  return digest === result.digest && lastReconciledStatus === result.status;
}

/** True when the newest entry says all of it already. */
function isKnown([newest]: History, result: Result): boolean {
  return newest !== undefined && isSame(newest, result) && newest.metadata?.['revision'] === result.revision;
}

/**
 * The history with a result at its beginning: results are told apart by digest and reason, and five are kept, as in
 * Flux. One that says nothing new and that changed nothing is not counted: it would be a write at each interval.
 */
export function withResult(history: History, result: Result, { isNews }: { readonly isNews: boolean }): History {
  if (!isNews && isKnown(history, result)) return history;
  const { digest, status, revision, originRevision, now, durationMs } = result;
  const known = history.find((entry) => isSame(entry, result));
  const entry: Entry = {
    digest,
    firstReconciled: known?.firstReconciled ?? now,
    lastReconciled: now,
    lastReconciledDuration: printDuration(durationMs),
    lastReconciledStatus: status,
    totalReconciliations: (known?.totalReconciliations ?? 0) + 1,
    metadata: { revision, ...(originRevision === undefined ? {} : { originRevision }) },
  };
  return [entry, ...history.filter((each) => each !== known)].slice(0, KEPT);
}

const ORIGIN_REVISION = 'org.opencontainers.image.revision';

const SHOWN_CHANGES = 100;

/** Milliseconds until objects are compared that were not watched while they were applied. */
const UNSEEN_MS = 1_000;

/** As Flux: a longer message fits into no condition of its. */
const MAX_MESSAGE = 20_000;

/** What a conclusion is drawn with. */
export interface Then {
  /** The status so far, written or not. */
  readonly status: KustomizationStatus;
  readonly moment: PassMoment;
  /** Milliseconds of the whole. */
  readonly durationMs: number;
}

/** Everything that happened. */
interface Story extends Plan, Then {
  readonly acted: Acted;
}

/** One line for each object that changed, a bounded number of them. */
function changeLines({ changes, pruned }: Acted): string[] {
  const changed = changes.filter(({ action }) => action === 'created' || action === 'configured');
  const lines = [
    ...changed.map(({ subject, action }) => `${subject} ${action}`),
    ...pruned.map((subject) => `${subject} deleted`),
  ];
  const rest = lines.length - SHOWN_CHANGES;
  return rest > 0 ? [...lines.slice(0, SHOWN_CHANGES), `and ${rest} more`] : lines;
}

/** Its objects, and those that it waits for. */
function objectsOf({ status, decision, acted, observed }: Story): Pick<KustomizationStatus, 'inventory' | 'claims'> {
  if (decision.kind === 'reject') {
    const { inventory } = status;
    const isForgotten = inventory?.entries.some(({ id }) => id === decision.forgets) === true;
    return isForgotten
      ? {
          ...pick(status, 'claims'),
          inventory: { entries: inventory.entries.filter(({ id }) => id !== decision.forgets) },
        }
      : pick(status, 'inventory', 'claims');
  }
  const before = observed.kustomization.status?.inventory?.entries ?? [];
  const entries = [...inventoryAfter(decision, acted, before)];
  const here = isInventoryHere(observed.kustomization) ? entries : [];
  const claims = claimsAfter(decision, acted, { inventory: here, claims: status.claims });
  return { inventory: { entries }, ...(claims.length === 0 ? {} : { claims }) };
}

function bounded({ reason, message }: NonNullable<Acted['problem']>): NonNullable<Acted['problem']> {
  return { reason, message: message.slice(0, MAX_MESSAGE) };
}

/** Healthy is there while something is checked; a check that passes again says what it said before. */
function withHealth(status: KustomizationStatus, { decision, acted, moment }: Story): KustomizationStatus {
  const { problem, healthyAfterMs } = acted;
  if (problem?.reason === 'HealthCheckFailed') {
    return withCondition(status, moment, { type: 'Healthy', status: 'False', ...bounded(problem) });
  }
  if (decision.kind === 'reject' || problem !== undefined) return status;
  if (healthyAfterMs === undefined) return withoutConditions(status, 'Healthy');
  const known = getCondition(status.conditions, 'Healthy');
  const isSame = known?.status === 'True' && known.observedGeneration === moment.generation;
  const message = isSame ? known.message : `Health check passed in ${printDuration(healthyAfterMs)}`;
  return withCondition(status, moment, { type: 'Healthy', status: 'True', reason: 'Succeeded', message });
}

function withReady(status: KustomizationStatus, { observed, acted, moment }: Story): KustomizationStatus {
  const { problem } = acted;
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

/**
 * Once all is applied, the inventory is for the cluster of the spec. A status that would not be written otherwise is not
 * written for that: those of earlier versions do not say it.
 */
function withClusters(status: KustomizationStatus, { observed, acted, decision }: Story): KustomizationStatus {
  const { kustomization } = observed;
  const isApplied = decision.kind !== 'reject' && (acted.problem === undefined || APPLIED.has(acted.problem.reason));
  if (!isApplied || mergePatch(kustomization.status ?? {}, status) === undefined) return status;
  return { ...status, clusters: clusterKeys(kustomization) };
}

function historyOf({ observed, acted, status, moment, durationMs }: Story): KustomizationStatus['history'] {
  const { kustomization, artifact, manifests } = observed;
  // Without manifests there is nothing that the history could be of.
  if (manifests.kind === 'reject') return status.history;
  const isRequested = readRequests(kustomization).handled.lastHandledReconcileAt !== status.lastHandledReconcileAt;
  const result = {
    digest: manifests.digest,
    status: acted.problem?.reason ?? 'ReconciliationSucceeded',
    revision: artifact.revision,
    originRevision: artifact.metadata?.[ORIGIN_REVISION],
    now: moment.now,
    durationMs,
  };
  return withResult(status.history ?? [], result, { isNews: isRequested || changeLines(acted).length > 0 });
}

function withoutSecrets(text: string, { manifests }: Observed): string {
  return manifests.kind === 'reject' ? text : masked(text, manifests.secrets);
}

/** The event of a failure; the same one again is no news. */
function failureEvents(
  { status }: Pick<Kustomization, 'status'>,
  { reason, message }: Problem,
  type: NewEvent['type'] = 'Warning',
): NewEvent[] {
  const known = getCondition(status?.conditions, 'Ready');
  const isNews = known?.reason !== reason || known.message !== message;
  return isNews ? [{ type, reason, message }] : [];
}

function successEvents({ observed, acted, status, durationMs }: Story, next: KustomizationStatus): NewEvent[] {
  const { kustomization } = observed;
  const before = kustomization.status?.conditions;
  const { healthyAfterMs } = acted;
  const succeeded = (message: string): NewEvent => ({ type: 'Normal', reason: 'ReconciliationSucceeded', message });
  const isRecovered = healthyAfterMs !== undefined && !isTrue(before, 'Healthy');
  const healthy = isRecovered ? (getCondition(next.conditions, 'Healthy')?.message ?? '') : '';
  const isSame = isTrue(before, 'Ready') && next.lastAppliedRevision === status.lastAppliedRevision;
  const isNews = changeLines(acted).length > 0 || !isSame;
  const finished = `Reconciliation finished in ${printDuration(durationMs)}, next run in ${kustomization.spec.interval}`;
  return [...(healthy === '' ? [] : [succeeded(healthy)]), ...(isNews ? [succeeded(finished)] : [])];
}

function eventsOf(story: Story, next: KustomizationStatus): NewEvent[] {
  const { acted, observed } = story;
  // Names may be made of secrets.
  const lines = withoutSecrets(changeLines(acted).join('\n'), observed);
  return [
    ...(lines === '' ? [] : [{ type: 'Normal' as const, reason: 'Progressing', message: lines }]),
    ...(acted.problem === undefined
      ? successEvents(story, next)
      : failureEvents(observed.kustomization, acted.problem)),
  ];
}

/** True for kinds that came with this build: their objects may have changed before they are watched. */
function isUnseen({ isWatched, manifests }: Observed): boolean {
  if (!isWatched || manifests.kind === 'reject') return false;
  return manifests.objects.some(({ apiVersion, kind }) => !manifests.scopes.has(`${apiVersion} ${kind}`));
}

function nextOf({ observed, acted }: Story): End {
  const { kustomization } = observed;
  if (acted.problem !== undefined) return { kind: 'requeue', afterMs: retryMs(kustomization.spec) };
  return isUnseen(observed) ? { kind: 'requeue', afterMs: UNSEEN_MS } : atInterval(kustomization);
}

/** What a server says of an object may quote it. */
function withMasks(acted: Acted, observed: Observed): Acted {
  const { problem } = acted;
  if (problem === undefined) return acted;
  const { reason, message } = problem;
  return { ...acted, problem: bounded({ reason, message: withoutSecrets(message, observed) }) };
}

/** Status, events and the next time, from what was observed, decided and done. Never throws. */
export function conclude(plan: Plan, acted: Acted, then: Then): Conclusion<KustomizationStatus> {
  const story: Story = { ...plan, ...then, acted: withMasks(acted, plan.observed) };
  const { kustomization, artifact } = plan.observed;
  const history = historyOf(story);
  const base: KustomizationStatus = {
    ...omit(then.status, 'claims'),
    ...objectsOf(story),
    lastAttemptedRevision: artifact.revision,
    ...(history === undefined ? {} : { history }),
    ...pick(readRequests(kustomization).handled, 'lastHandledReconcileAt'),
  };
  const status = withClusters(withReady(withHealth(base, story), story), story);
  return { status, events: eventsOf(story, status), next: nextOf(story) };
}

/** The result of a reconciliation that an error ends. Never throws. */
export function concludeError(
  kustomization: Kustomization,
  failure: Failure,
  { status, moment }: Pick<Then, 'status' | 'moment'>,
): Conclusion<KustomizationStatus> {
  const { error, problem } = failure;
  const next = afterError(kustomization, error);
  // Work before it must not be forgotten, and requests stay.
  if (!isReported(kustomization, failure)) return { status, events: [], next };
  const { handled } = readRequests(kustomization);
  // A wait for something else may only be early.
  const type = error instanceof WaitingError ? 'Normal' : 'Warning';
  return {
    status: { ...withProblem(status, moment, failure), ...pick(handled, 'lastHandledReconcileAt') },
    events: failureEvents(kustomization, problem, type),
    next,
  };
}
