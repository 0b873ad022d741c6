import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import type { Condition, KubeObject } from '#api/meta.js';
import { DESTINATION_STATES, type DestinationState } from '#api/v1alpha1/states.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { getCondition, isTrue } from '#lib/kube/conditions.js';
import { isMap } from '#lib/plain.js';
import { describeObject } from '#lib/net/urls.js';
import { backendOf } from '../backends/index.js';
import { currentCondition, isLeftAlone, isReady } from '../child/metadata.js';
import type { Child } from '../child/types.js';

/** The input of the state of a destination. */
export interface Facts {
  /** The child after this reconciliation wrote it. */
  readonly child: Child | undefined;
  /** The entry was rejected. */
  readonly rejected: boolean;
  /** The child could not be written. */
  readonly writeFailed: boolean;
  /** The desired state waits for another child. */
  readonly isHeld?: boolean;
  /** The chart of the child cannot be fetched until its spec changes. */
  readonly chartFailed?: boolean;
  /** It waits for an inline source that cannot be fetched. */
  readonly sourceFailed?: boolean;
}

/** True while a child is being deleted. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Reasons of Ready=False of a child that waits for another object. */
const WAITING_REASONS: readonly string[] = ['DependencyNotReady', 'SourceNotReady'];

function conditionsOf(child: Child | undefined): readonly Condition[] {
  return child?.status?.conditions ?? [];
}

function hasNoReport({ child }: Facts): boolean {
  return getCondition(conditionsOf(child), 'Ready') === undefined && !isTrue(conditionsOf(child), 'Reconciling');
}

function waits({ child, chartFailed = false, sourceFailed = false }: Facts): boolean {
  if (child !== undefined && backendOf(child).awaitsSource(child)) return true;
  return !chartFailed && !sourceFailed && WAITING_REASONS.includes(currentCondition(child, 'Ready')?.reason ?? '');
}

/** True for a child in a dry run of its own: like a suspended one it is not reconciled, on request. Flux has none. */
function isDryRun(child: Child | undefined): boolean {
  return child !== undefined && asksForDryRun(child) && getCondition(conditionsOf(child), 'DryRun') !== undefined;
}

/** When a destination is in a state. The last one always holds: the child itself reports Ready by then. */
const HOLDS: Readonly<Record<DestinationState, (facts: Facts) => boolean>> = {
  Deleting: ({ child }) => child !== undefined && isTerminating(child),
  Unmanaged: ({ child, rejected, writeFailed }) => !rejected && !writeFailed && isLeftAlone(child),
  Suspended: ({ child, rejected }) => !rejected && (child?.spec.suspend === true || isDryRun(child)),
  Unreachable: ({ child }) => currentCondition(child, 'Ready')?.reason === CLUSTER_UNREACHABLE,
  Stalled: ({ child, rejected }) => rejected || currentCondition(child, 'Stalled')?.status === 'True',
  Failed: (facts) => facts.writeFailed || (currentCondition(facts.child, 'Ready')?.status === 'False' && !waits(facts)),
  Drifted: ({ child }) => currentCondition(child, 'Drifted')?.status === 'True',
  Progressing: (facts) => !isReady(facts.child) && !hasNoReport(facts) && !waits(facts),
  Pending: (facts) => facts.isHeld === true || !isReady(facts.child),
  Ready: () => true,
};

/** Reasons of Ready=False of a chart that waits for its source. */
const SOURCE_REASONS: readonly string[] = ['NoSourceArtifact', 'SourceUnavailable'];

/**
 * True if a HelmChart cannot be fetched until its spec changes, e.g. because its version does not exist. Never throws.
 */
export function isChartFailed(chart: Child | undefined): boolean {
  const ready = currentCondition(chart, 'Ready');
  return ready?.status === 'False' && !SOURCE_REASONS.includes(ready.reason);
}

/** What chart a HelmChart, or the template of one in a HelmRelease, is for. */
function chartText(spec: unknown): string {
  const { chart, version = '', valuesFiles = [] } = isMap(spec) ? spec : {};
  return JSON.stringify([chart, version === '' ? '*' : version, valuesFiles]);
}

/**
 * True if the engine gave up on the very chart that a child wants, e.g. because there is no such version. What it said
 * of another one, which a child wanted before, may still be there. Never throws.
 */
export function isChartStalled(child: Child, chart: Child | undefined): boolean {
  if (chart === undefined || currentCondition(chart, 'Stalled')?.status !== 'True') return false;
  const template = child.spec['chart'];
  return isMap(template) && chartText(template['spec']) === chartText(chart.spec);
}

/**
 * The state of one destination: the first that holds. Reads metadata, `spec.suspend` and the conditions of the child.
 * Never throws.
 */
export function stateOf(facts: Facts): DestinationState {
  return DESTINATION_STATES.find((state) => HOLDS[state](facts)) ?? 'Ready';
}

/** Reasons of Ready=False after a remediation, which do not name the failure itself. */
const REMEDIATIONS: readonly string[] = [
  'RollbackSucceeded',
  'RollbackFailed',
  'UninstallSucceeded',
  'UninstallFailed',
];

/** The message of Ready; after a remediation, the message of the failure comes first. */
function verdictOf(child: Child, ready: Condition): string {
  const released = currentCondition(child, 'Released');
  const isRemediated = ready.status === 'False' && REMEDIATIONS.includes(ready.reason);
  return isRemediated && released?.status === 'False' ? `${released.message}; ${ready.message}` : ready.message;
}

/** The message of a child about its current generation. */
function reportOf(child: Child): string {
  const ready = currentCondition(child, 'Ready');
  const reconciling = currentCondition(child, 'Reconciling');
  const isOpen = ready === undefined || ready.status === 'Unknown';
  // While Ready is unknown, Reconciling says more.
  if (isOpen && reconciling?.status === 'True') return reconciling.message;
  if (ready !== undefined) return verdictOf(child, ready);
  return getCondition(child.status?.conditions, 'Ready') === undefined
    ? 'no status reported yet'
    : 'the engine has not reconciled the last change yet';
}

/** True if the last status of a suspended child, of whichever generation, is a failure: it is none the better for it. */
export function failedBefore({ status }: Child): boolean {
  const ready = getCondition(status?.conditions, 'Ready');
  return ready?.status === 'False' && !WAITING_REASONS.includes(ready.reason);
}

/** The last status of a suspended child, of whichever generation. */
function lastReport(child: Child): string {
  const ready = getCondition(child.status?.conditions, 'Ready');
  return ready === undefined ? 'suspended before its first status' : `suspended; last status: ${ready.message}`;
}

/** The message of the condition that the state comes from, if that is not Ready. */
function wordsOf(child: Child, type: string): string {
  const found = currentCondition(child, type);
  return found?.status === 'True' ? found.message : reportOf(child);
}

/** The message of a child's conditions that explains its state. Never throws. */
export function childMessage(child: Child, state: DestinationState): string {
  if (state === 'Unmanaged') return 'installed once; it is not updated, healed or uninstalled any more';
  if (state === 'Suspended') return lastReport(child);
  if (state === 'Drifted') return wordsOf(child, 'Drifted');
  const isDecided = currentCondition(child, 'Ready')?.status === 'False';
  return state === 'Stalled' && !isDecided ? wordsOf(child, 'Stalled') : reportOf(child);
}

/** Why a source cannot be fetched; undefined: it can, it may still come, or it is being deleted. Never throws. */
export function fetchFailure(source: Child): string | undefined {
  const ready = isTerminating(source) ? undefined : currentCondition(source, 'Ready');
  return ready?.status === 'False' ? ready.message : undefined;
}

/**
 * Why the source that was made for an inline one cannot be fetched, if a child waits for it; undefined: it does not
 * wait, or the source may still come. The engines only say that it is not ready, some with a cause and some without.
 * Never throws.
 */
export function sourceFailure(child: Child, source: Child | undefined): string | undefined {
  if (source === undefined || currentCondition(child, 'Ready')?.reason !== 'SourceNotReady') return undefined;
  const failure = fetchFailure(source);
  return failure === undefined ? undefined : `${describeObject(source.kind, source.metadata)}: ${failure}`;
}

/** True if the engine does not fetch the source again until its spec changes. Never throws. */
export function isSourceStalled(source: Child | undefined): boolean {
  return currentCondition(source, 'Stalled')?.status === 'True';
}
