import partition from 'lodash/partition.js';
import semver from 'semver';
import { KUBECONFIG_NOT_FOUND } from '#api/flux/conditions.js';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { ENTRY_KEY_ANNOTATION } from '#api/v1alpha1/labels.js';
import { identityOf } from '#api/v1alpha1/pending.js';
import { type DestinationState, knownState, WORST_FIRST } from '#api/v1alpha1/states.js';
import { defined } from '#lib/plain.js';
import { isCredentialName } from '../../../cluster/model/credential-name.js';
import { backendOf } from '../backends/index.js';
import { type ClusterIndex, clusterNameOf } from '../child/cluster.js';
import { childClusterNames, ClusterResolver } from '../child/cluster-names.js';
import { describeChild, leftUnchanged, shortened } from '../child/messages.js';
import { currentCondition, revisionOf } from '../child/metadata.js';
import type { Child, ClusterNames, Entry, RejectedEntry, Violation } from '../child/types.js';
import type { Outcome, Step, Wait } from '../child/verdicts.js';
import { childMessage, isChartFailed, sourceFailure, stateOf } from '../children/state.js';
import type { Destination } from '../children/world.js';
import { UNWANTED } from '../clusters/leaving.js';
import { shownReplacement } from '../clusters/replaced.js';
import { liveReleaseKey } from '../destinations/identity.js';

/** One destination after a reconciliation. */
export interface Row {
  readonly name: string;
  /** Key of the destination for the console. */
  readonly key: string;
  readonly cluster: string;
  /** Undefined: as specified in the files. */
  readonly namespace: string | undefined;
  /** Undefined where there is no Helm release. */
  readonly release: string | undefined;
  readonly state: DestinationState;
  readonly revision: string | undefined;
  readonly message: string;
  readonly child: Child | undefined;
  /** False for a child that no entry wants. */
  readonly wanted: boolean;
  /** True if the row was kept from the old status: its child is only reconciled at its interval. */
  readonly isSteady?: boolean;
  /** What it waits for, if it does. */
  readonly wait?: Wait | undefined;
  /** Name of its stage in the rollout, if there is one. */
  readonly stage?: string | undefined;
  /** The cluster that took the place of its own, if one did. */
  readonly replaced?: ShownRow['replaced'];
}

/** A row of the status. */
export type ShownRow = NonNullable<ApplicationStatus['destinations']>[number];

/** All rows, and what is counted of them: computed once after each plan. */
export interface Rows {
  /** Worst first. */
  readonly all: readonly Row[];
  /** Those of entries. */
  readonly wanted: readonly Row[];
  /** Those that no entry wants: shown until they are gone, never counted. */
  readonly unwanted: readonly Row[];
  /** How many wanted ones are Ready. */
  readonly ready: number;
  /** The different revisions that the wanted ones have, the lowest first. */
  readonly revisions: readonly string[];
}

function compareRevisions(a: string, b: string): number {
  const [left, right] = [semver.valid(a, { loose: true }), semver.valid(b, { loose: true })];
  const order = left === null || right === null ? 0 : semver.compareBuild(left, right);
  if (order !== 0) return order;
  return a < b ? -1 : 1;
}

function revisionsOf(wanted: readonly Row[]): string[] {
  return [...new Set(wanted.flatMap(({ revision }) => revision ?? []))].sort(compareRevisions);
}

export function groupRows(all: readonly Row[]): Rows {
  const [wanted, unwanted] = partition(all, (row) => row.wanted);
  const ready = wanted.filter(({ state }) => state === 'Ready').length;
  return { all, wanted, unwanted, ready, revisions: revisionsOf(wanted) };
}

/** Room for a release that failed with its chart, and for one workload with the cause that its pod reports. */
const MAX_ROW_MESSAGE = 375;

/** Facts for rows besides the outcome of a destination. */
type RowFacts = Pick<Destination, 'entry' | 'live'> & Partial<Pick<Destination, 'missing' | 'chart' | 'source'>>;

export interface RowsInput {
  readonly outcomes: readonly Outcome[];
  readonly rejected: readonly RejectedEntry[];
  /** Default: nothing is missing, and everything can be fetched. */
  readonly destinations?: readonly RowFacts[];
  /** Why no entry matches a child; default: its entry was removed. */
  readonly whyLeaves?: (child: Child) => string | undefined;
  /** What a destination waits for. Default: nothing. */
  readonly waitOf?: (outcome: Outcome) => Wait | undefined;
  /** The stage of an entry. Default: there is no rollout. */
  readonly stageOf?: (entry: Entry) => string | undefined;
  /** What is known of the clusters. Default: nothing. */
  readonly clusters?: ClusterIndex;
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Finding {
  readonly state: DestinationState;
  readonly missing: string | undefined;
  /** Why its source cannot be fetched. */
  readonly unfetched: string | undefined;
}

/** The engine asks for the Secret that it lacks, but that of a granted cluster is not for users to create. */
function credentialIsMissing(child: Child, entry: Entry): string | undefined {
  const name = entry.kubeConfig?.secretRef?.name ?? '';
  if (entry.cluster === undefined || !isCredentialName(name)) return undefined;
  if (currentCondition(child, 'Ready')?.reason !== KUBECONFIG_NOT_FOUND) return undefined;
  const { kind, metadata } = child;
  return `there is no kubeconfig of cluster ${entry.clusterName} yet, which Fairlead makes; if it cannot, the events say why: kubectl describe ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace ?? ''}`;
}

function messageOf({ step, child, error }: Outcome, { state, missing, unfetched }: Finding, entry: Entry): string {
  if (error !== undefined) return errorText(error);
  if (step.op === 'wait') return [missing, step.why].filter((part) => part !== undefined).join('; ');
  // Ready rows omit the child's name, to leave room for its message.
  if (state === 'Ready' && child !== undefined) return childMessage(child, state);
  const said = child && (credentialIsMissing(child, entry) ?? unfetched ?? childMessage(child, state));
  const report = child === undefined ? '' : `${describeChild(child)}: ${said ?? ''}`;
  return [missing, report].filter((part) => part !== undefined && part !== '').join('; ');
}

interface Judged extends Partial<Omit<RowFacts, 'entry' | 'live'>> {
  readonly entry: Entry;
  /** Why it is rejected. */
  readonly violation: Violation | undefined;
}

function wantedRow(outcome: Outcome, { entry, violation, chart, source, missing: lack }: Judged): Row {
  const { child } = outcome;
  const unfetched = child && sourceFailure(child, source);
  const facts = {
    child,
    rejected: violation !== undefined,
    writeFailed: outcome.error !== undefined,
    isHeld: violation === undefined && outcome.step.op === 'wait',
    chartFailed: isChartFailed(chart),
    sourceFailed: unfetched !== undefined,
  };
  const release = child === undefined ? entry.release : liveReleaseKey(child);
  const state = stateOf(facts);
  const missing = state === 'Ready' ? undefined : lack;
  return {
    name: entry.name ?? entry.key,
    key: entry.consoleKey,
    cluster: entry.clusterName,
    namespace: entry.targetNamespace,
    release: backendOf(release).releaseName(release),
    state,
    revision: revisionOf(child),
    message: shortened(violation?.message ?? messageOf(outcome, { state, missing, unfetched }, entry), MAX_ROW_MESSAGE),
    child,
    wanted: true,
  };
}

/** While a child is being deleted, its last failure is shown, but not its last success. */
function lastFailure(child: Child): string {
  const ready = currentCondition(child, 'Ready');
  return ready?.status === 'False' ? `${describeChild(child)} (${ready.message})` : describeChild(child);
}

/** The row of a child that is being deleted, and why. */
export function terminatingRow(child: Child, why: string): Row {
  const backend = backendOf(child);
  const key = child.metadata.annotations?.[ENTRY_KEY_ANNOTATION] ?? child.metadata.name;
  return {
    name: key,
    key,
    cluster: clusterNameOf(child),
    namespace: backend.namespaceOf(child),
    release: backend.releaseName(backend.liveKey(child)),
    state: 'Deleting',
    revision: revisionOf(child),
    message: shortened(`${lastFailure(child)}: ${why}`, MAX_ROW_MESSAGE),
    child,
    wanted: false,
  };
}

/** The row of a child that no entry wants: it is being deleted, or left unchanged. */
function unwantedRow(
  { error }: Outcome,
  { op, live, why }: Extract<Step, { op: 'delete' | 'suspend' | 'offer' | 'spare' }>,
  whyLeaves: RowsInput['whyLeaves'],
): Row {
  if (error !== undefined) return terminatingRow(live, errorText(error));
  // The same message before and after the delete, or the status would be written twice.
  if ((op !== 'spare' && op !== 'offer') || live.metadata.deletionTimestamp !== undefined) {
    return terminatingRow(live, whyLeaves?.(live) ?? UNWANTED);
  }
  const state = stateOf({ child: live, rejected: false, writeFailed: false });
  return { ...terminatingRow(live, leftUnchanged(why)), state };
}

/** Worst first, then by name. */
function byState(a: Row, b: Row): number {
  const [left, right] = [WORST_FIRST.indexOf(a.state), WORST_FIRST.indexOf(b.state)];
  if (left !== right) return left - right;
  const texts = [a, b].map((row) => JSON.stringify([row.name, row.cluster, row.namespace, row.release]));
  return (texts[0] ?? '') < (texts[1] ?? '') ? -1 : 1;
}

/** The row with the cluster that took the place of its own, if one did. */
export function withReplaced(row: Row, entry: Entry | undefined, clusters: ClusterIndex | undefined): Row {
  const { child } = row;
  const replaced = child && clusters && shownReplacement(child, entry, clusters);
  return replaced === undefined ? row : { ...row, replaced };
}

/** Rows with the names that tell their clusters apart. `entryOf`: the entry of a row; default: that of none. */
export function withNames(rows: readonly Row[], entryOf: (row: Row) => Entry | undefined = () => undefined): Row[] {
  const namesOf = (row: Row): ClusterNames | undefined =>
    entryOf(row)?.names ?? (row.child && childClusterNames(row.child));
  const resolver = new ClusterResolver(rows.flatMap((row) => namesOf(row) ?? []));
  return rows.map((row) => {
    const names = namesOf(row);
    return names === undefined || !resolver.isShared(names) ? row : { ...row, cluster: names.full };
  });
}

/**
 * One row per entry, and one per unwanted child; worst first, then by name, so that the order of the input never
 * matters.
 */
export function rowsOf(input: RowsInput): Row[] {
  const violations = new Map(input.rejected.map(({ entry, violation }) => [entry, violation]));
  const missing = new Map(input.destinations?.map((each) => [each.entry?.path, each.missing]));
  const upstream = new Map(input.destinations?.map((each) => [each.live && describeChild(each.live), each]));
  const judged = (entry: Entry, child: Child | undefined): Judged => {
    const { chart, source } = (child && upstream.get(describeChild(child))) ?? {};
    return { entry, violation: violations.get(entry), missing: missing.get(entry.path), chart, source };
  };
  const entries = new Map<Row, Entry>();
  const rows = input.outcomes.map((outcome) => {
    const { step } = outcome;
    const entry = 'entry' in step ? step.entry : undefined;
    const row =
      'entry' in step
        ? wantedRow(outcome, judged(step.entry, outcome.child))
        : unwantedRow(outcome, step, input.whyLeaves);
    const known = withReplaced(row, entry, input.clusters);
    const wait = input.waitOf?.(outcome);
    // What cannot be fetched failed: nothing comes of waiting.
    const isOver = wait?.reason === 'Source' && row.state === 'Failed';
    const stage = entry && input.stageOf?.(entry);
    const shown = { ...known, ...defined({ stage, wait: isOver ? undefined : wait }) };
    if (entry !== undefined) entries.set(shown, entry);
    return shown;
  });
  return withNames(rows, (row) => entries.get(row)).sort(byState);
}

/**
 * The row in the old status. A row that was left out of a truncated list was no worse than the last listed one: it was
 * Ready if that was.
 */
function shownOf(row: Row, { destinations = [], truncated = false }: ApplicationStatus): ShownRow | undefined {
  const identity = identityOf(row);
  const shown = destinations.find((each) => identityOf(each) === identity);
  const last = truncated ? destinations.at(-1) : undefined;
  return shown ?? (last?.state === 'Ready' ? last : undefined);
}

function steadyRow(row: Row, before: ApplicationStatus): Row {
  const { child, state } = row;
  if (state !== 'Progressing' || child === undefined || !backendOf(child).isPeriodicReconcile(child)) return row;
  if (currentCondition(child, 'Ready')?.status !== 'Unknown') return row;
  const shown = shownOf(row, before);
  if (shown === undefined || knownState(shown.state)?.isSteady !== true) return row;
  return { ...row, state: shown.state, message: shown.message ?? row.message, isSteady: true };
}

/**
 * Keeps the old state and message of rows whose child is only reconciled at its interval: otherwise the status would
 * change twice at each interval. Never throws.
 */
export function steadyRows(rows: readonly Row[], before: ApplicationStatus | undefined): Row[] {
  return rows.map((row) => (before === undefined || !row.wanted ? row : steadyRow(row, before))).sort(byState);
}
