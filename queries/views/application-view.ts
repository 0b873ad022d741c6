import type { ApplicationView, DestinationView } from '../answers/application.js';
import type { ApplicationState } from '../answers/words.js';
import type { Condition } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import { defined } from '#lib/plain.js';
import { describeObject } from '#lib/net/urls.js';

/**
 * True if the status speaks of the newest spec. As kubectl and others have it, one that does not say of which it speaks is
 * believed.
 */
export function isCurrent({ metadata: { generation }, status: { observedGeneration } = {} }: Application): boolean {
  return observedGeneration === undefined || generation === undefined || observedGeneration === generation;
}

/** The states by the reason of Ready that are no failures. */
const BY_REASON: ReadonlyMap<string, ApplicationState> = new Map<ApplicationReason, ApplicationState>([
  ['NoClusterMatches', 'Pending'],
  ['RolloutPaused', 'Paused'],
]);

/** It is not Ready. Where nothing moves by itself, either something failed, or somebody has to decide something. */
function unreadyState(conditions: readonly Condition[]): ApplicationState {
  const { status, reason = '' } = conditions.find(({ type }) => type === 'Ready') ?? {};
  const known = BY_REASON.get(reason);
  if (known !== undefined) return known;
  if (isTrue(conditions, 'Reconciling')) return 'Progressing';
  return status === 'Unknown' ? 'Pending' : 'Failed';
}

function isTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((item) => item.type === type && item.status === 'True');
}

function stateOf(application: Application, conditions: readonly Condition[]): ApplicationState {
  if (application.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (isTrue(conditions, 'Stalled')) return 'Stalled';
  if (conditions.length === 0) return 'Pending';
  // What was ready says nothing of what is wanted now; what failed still needs somebody.
  if (isTrue(conditions, 'Ready')) return isCurrent(application) ? 'Ready' : 'Progressing';
  return unreadyState(conditions);
}

type Status = NonNullable<Application['status']>;

/** Of a status of an older spec. */
export const NEWEST_IS_OPEN = 'the newest change is not reconciled yet';

type Words = Pick<ApplicationView, 'reason' | 'message' | 'warnings'>;

function readyOf(conditions: readonly Condition[]): Pick<Words, 'reason' | 'message'> {
  if (conditions.length === 0) return { reason: '', message: 'no controller has reconciled it yet' };
  const { reason = '', message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {};
  return { reason, message };
}

/** What the status says, and whether that is of an older spec: of one that is being deleted, that is no matter. */
function wordsOf(application: Application, state: string): Words {
  const { metadata, status = {} } = application;
  const warnings = warningsOf(status);
  const { conditions = [] } = status;
  const said = { ...readyOf(conditions), warnings };
  if (isCurrent(application) || metadata.deletionTimestamp !== undefined) return said;
  return state === 'Progressing' && isTrue(conditions, 'Ready')
    ? { reason: '', message: NEWEST_IS_OPEN, warnings }
    : { ...said, warnings: [NEWEST_IS_OPEN, ...warnings] };
}

function textsOf({ summary, revision = '' }: Status): Pick<ApplicationView, 'ready' | 'revision'> {
  return { ready: summary?.ready ?? '', revision };
}

/** The conditions besides Ready that a reader should know. */
const NOTEWORTHY: readonly string[] = [
  'RemovalsHeld=True',
  'Pinned=True',
  'TemplateSaved=False',
  'DryRun=True',
  'DryRun=False',
];

function warningsOf({ warnings = [], conditions = [] }: Status): string[] {
  const noted = conditions.filter(({ type, status }) => NOTEWORTHY.includes(`${type}=${status}`));
  return [...warnings, ...noted.map(({ message }) => message)];
}

/** The state of a rollout that is not complete. While all is pinned, there is none. */
function rolloutStateOf({ rollout, conditions = [] }: Status): ApplicationView['rolloutState'] {
  const { status, message = '' } = conditions.find(({ type }) => type === 'RolledOut') ?? {};
  if (status !== 'False') return undefined;
  // If the rollout of a revision cannot begin, the status still has the one before.
  const phase = rollout === undefined || rollout.phase === 'Complete' ? 'Pending' : rollout.phase;
  return { phase, message };
}

/** The value of removals that are being carried out approves nothing more. */
function approvalOf({ removals: { approval = '', approved } = {} }: Status): string {
  return approved === undefined ? approval : '';
}

/** Reads the status only: what it does not say is not known. */
export function viewOf(application: Application): ApplicationView {
  const { metadata, spec, status = {} } = application;
  const state = stateOf(application, status.conditions ?? []);
  const { warnings, ...words } = wordsOf(application, state);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    kind: status.kind ?? spec.kind ?? '',
    state,
    ...words,
    ...textsOf(status),
    warnings,
    approval: approvalOf(status),
    ...defined({ rolloutState: rolloutStateOf(status) }),
    destinations: (status.destinations ?? []).map((row) => destinationView(row, metadata.namespace)),
  };
}

type DestinationRow = NonNullable<Status['destinations']>[number];

function destinationView(row: DestinationRow, applicationNamespace: string | undefined): DestinationView {
  const { name, state, cluster = '', namespace = '', release = '', revision = '', message = '' } = row;
  return {
    ...{ name, cluster, namespace, release },
    ...childNames(row, applicationNamespace),
    ...{ state, revision, message },
    ...defined({ dryRun: row.dryRun, replaced: row.replaced }),
  };
}

function childNames({ child }: DestinationRow, namespace: string | undefined) {
  if (child === undefined) return { child: '' };
  const { kind, name } = child;
  return { child: describeObject(kind, { namespace, name }), childRef: { kind, namespace: namespace ?? '', name } };
}

/** Applications by namespace and name, so that the output only changes when they do. */
export function sortedViews(applications: readonly Application[]): ApplicationView[] {
  const key = (view: ApplicationView): string => `${view.namespace}/${view.name}`;
  return applications.map(viewOf).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
