import pick from 'lodash/pick.js';
import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { Condition, KubeObject } from '#api/meta.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import {
  APPLICATION_FINALIZER,
  HEALTH_LABEL,
  LAST_REVISION_ANNOTATION,
  READY_NUMBER_LABEL,
  SYNC_LABEL,
  TYPE_LABEL,
  TYPE_LABEL_MISSPELT,
} from '#api/v1alpha1/labels.js';
import { STATES, WORST_FIRST } from '#api/v1alpha1/states.js';
import { defined, isMap } from '#lib/plain.js';
import { backendFor, backendOf } from '../backends/index.js';
import { shortened } from '../child/messages.js';
import { isUnmanaged } from '../child/metadata.js';
import type { Child } from '../child/types.js';
import type { Outcome } from '../child/verdicts.js';
import { isTerminating } from '../children/state.js';
import type { StatusInput } from './conditions.js';
import type { Row, Rows } from './rows.js';

/** Argo CD's health states, from the best to the worst; the console filters by them. Missing: never rolled out. */
const HEALTH = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type Health = (typeof HEALTH)[number];

/** Argo CD's sync states, from the best to the worst. */
const SYNC = ['Synced', 'Unknown', 'OutOfSync'] as const;
export type Sync = (typeof SYNC)[number];

function worst<Word extends string>(order: readonly Word[], words: readonly Word[]): Word | undefined {
  return order[Math.max(...words.map((word) => order.indexOf(word)))];
}

/**
 * The worst health of the wanted destinations; if none is wanted, of those that remain; Missing without any. Never
 * throws.
 */
export function healthOf({ wanted, unwanted }: Rows): Health {
  const rows = wanted.length > 0 ? wanted : unwanted;
  return (
    worst(
      HEALTH,
      rows.map(({ state }) => STATES[state].health),
    ) ?? 'Missing'
  );
}

/**
 * Whether the wanted destinations run what the Application specifies: the worst of them; OutOfSync without any. Never
 * throws.
 */
export function syncOf({ wanted }: Rows): Sync {
  return (
    worst(
      SYNC,
      wanted.map(({ state }) => STATES[state].sync),
    ) ?? 'OutOfSync'
  );
}

/** More would make the Application too big. */
export const MAX_CONSOLE_DESTINATIONS = 100;

/** The fields of a child's status that the console shows. */
const SHOWN_FIELDS = ['observedGeneration', 'lastAttemptedRevision', 'lastAppliedRevision', 'helmChart'] as const;

/** A destination whose state is not known, as the console shows it. `since`: RFC 3339. */
export function unknownReady(since: string, message = 'no status reported yet'): Condition {
  return { type: 'Ready', status: 'Unknown', reason: 'Pending', message, lastTransitionTime: since };
}

/** The input of the map besides the rows. */
interface Known {
  /** Since when destinations without a child are unknown, as RFC 3339. */
  readonly since: string;
  /** The map in the old status. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
}

/** Ready children show no Reconciling: the map would be written twice at each of their intervals. */
function isNews(row: Row, { type }: Condition): boolean {
  return row.state !== 'Ready' || type !== 'Reconciling';
}

/** The console reads `conditions[0]` as Ready, always. */
function readyFirst(row: Row, since: string): Condition[] {
  const { child } = row;
  const conditions = child?.status?.conditions ?? [];
  const ready =
    conditions.find(({ type }) => type === 'Ready') ?? unknownReady(child?.metadata.creationTimestamp ?? since);
  const all = [ready, ...conditions.filter(({ type }) => type !== 'Ready')];
  // Long messages of a hundred children would make the Application too big.
  return all
    .filter((condition) => isNews(row, condition))
    .map((condition) => ({ ...condition, message: shortened(condition.message) }));
}

/** The conditions of a steady row are kept from the old status. */
function conditionsOf(row: Row, { since, before }: Known): unknown {
  const shown = row.isSteady === true ? before?.[row.key] : undefined;
  return (isMap(shown) ? shown['conditions'] : undefined) ?? readyFirst(row, since);
}

function statusOf(row: Row, known: Known): Record<string, unknown> {
  const shown = SHOWN_FIELDS.flatMap((field) => {
    const value = row.child?.status?.[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(shown), conditions: conditionsOf(row, known) };
}

/**
 * The status of children by destination key, as the console reads it. Of colliding keys the worst is shown; undefined
 * when there are too many destinations.
 */
export function consoleStatus({ wanted }: Rows, known: Known): Record<string, Record<string, unknown>> | undefined {
  if (wanted.length > MAX_CONSOLE_DESTINATIONS) return undefined;
  const bestFirst = [...wanted].sort((a, b) => WORST_FIRST.indexOf(b.state) - WORST_FIRST.indexOf(a.state));
  const byKey = new Map(bestFirst.map((row) => [row.key, statusOf(row, known)]));
  return Object.fromEntries([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Annotations = Readonly<Record<string, string>>;

/** The parts of an Application's metadata that must be written. */
export interface MetadataChange {
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The entries that are not there, or have another value. */
function differing(live: Annotations | undefined, wanted: Annotations): Annotations {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => live?.[key] !== value));
}

/** A retry after a failure stays Degraded until it succeeds or the Application is changed. */
function steadyHealth({ metadata, status }: Application, health: Health): Health {
  const isSame = status?.observedGeneration === metadata.generation;
  return isSame && health === 'Progressing' && metadata.labels?.[HEALTH_LABEL] === 'Degraded' ? 'Degraded' : health;
}

/** The finalizers with ours added; undefined if it is present. */
export function withFinalizer({ metadata: { finalizers = [] } }: Application): readonly string[] | undefined {
  return finalizers.includes(APPLICATION_FINALIZER) ? undefined : [...finalizers, APPLICATION_FINALIZER];
}

/**
 * The labels and annotations that the console uses, and our finalizer on an Application that is rolled out; undefined
 * if nothing must be written.
 */
export function nextMetadata(
  application: Application,
  { rows, violation }: Pick<StatusInput, 'rows' | 'violation'>,
): MetadataChange | undefined {
  if (rows === undefined) return undefined;
  const [revision] = rows.revisions;
  const sync = violation === undefined ? syncOf(rows) : 'OutOfSync';
  const { kind } = backendFor(application);
  const labels = differing(application.metadata.labels, {
    [TYPE_LABEL]: kind,
    [TYPE_LABEL_MISSPELT]: kind,
    [READY_NUMBER_LABEL]: `${rows.ready}-${rows.wanted.length}`,
    [HEALTH_LABEL]: steadyHealth(application, healthOf(rows)),
    [SYNC_LABEL]: sync,
  });
  const annotations = differing(
    application.metadata.annotations,
    revision === undefined ? {} : { [LAST_REVISION_ANNOTATION]: revision },
  );
  const finalizers = violation === undefined ? withFinalizer(application) : undefined;
  const change = {
    ...defined({ finalizers }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

type Handled = Pick<ApplicationStatus, 'lastHandledReconcileAt' | 'lastHandledForceAt' | 'lastHandledResetAt'>;
/** The request annotations, and the status fields with the last forwarded value. */
const HANDLED_FIELDS: Readonly<Record<string, keyof Handled>> = {
  [REQUESTED_AT_ANNOTATION]: 'lastHandledReconcileAt',
  [FORCE_AT_ANNOTATION]: 'lastHandledForceAt',
  [RESET_AT_ANNOTATION]: 'lastHandledResetAt',
};

/** The requests on the Application that were not forwarded yet. */
export function newRequests({ metadata, status }: Application): Annotations {
  const asked = Object.entries(HANDLED_FIELDS).flatMap(([annotation, field]) => {
    const value = metadata.annotations?.[annotation];
    return value === undefined || value === '' || value === status?.[field] ? [] : [[annotation, value] as const];
  });
  return Object.fromEntries(asked);
}

/** The status fields for these requests, so that each is forwarded once. */
export function handledBy(requests: Annotations): Handled {
  const pairs = Object.entries(requests).flatMap(([annotation, value]) => {
    const field = HANDLED_FIELDS[annotation];
    return field === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(pairs);
}

/**
 * The children of entries to which requests are passed on. What a destination waits for, or why it is rejected, is no
 * reason: they ask for nothing but what its child is now. New children are reconciled anyway, unmanaged ones never.
 */
export function askedChildren(outcomes: readonly Outcome[]): Child[] {
  return outcomes.flatMap(({ step, child }) => {
    const isOfEntry = step.op === 'keep' || step.op === 'update' || step.op === 'wait';
    if (!isOfEntry || child === undefined || isTerminating(child) || isUnmanaged(child)) return [];
    return [child];
  });
}

/** The requests that a child supports and does not have yet. */
export function requestsForChild(requests: Annotations, child: KubeObject): Annotations {
  return differing(child.metadata.annotations, pick(requests, backendOf(child).requests));
}

/** The requests that a source does not have yet: only requestedAt. */
export function requestsForSource(requests: Annotations, source: KubeObject): Annotations {
  return differing(source.metadata.annotations, pick(requests, REQUESTED_AT_ANNOTATION));
}
