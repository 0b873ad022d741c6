import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import type { Condition } from '#api/meta.js';
import type { DestinationState } from '#api/v1alpha1/conditions.js';
import { getCondition, isTrue } from '../../runtime/pure/conditions.js';
import { backendOf } from './backends/index.js';
import { currentCondition } from './current-condition.js';
import type { Child } from './types.js';

/** All that the state of a destination follows from. */
export interface Facts {
  /** The child as last seen, after this pass wrote it. */
  readonly child: Child | undefined;
  /** The entry is left alone until somebody mends it. */
  readonly rejected: boolean;
  /** The child could not be written. */
  readonly writeFailed: boolean;
  /** What is wanted now waits for another child. */
  readonly isHeld?: boolean;
  /** The chart of the child cannot be fetched as its spec stands. */
  readonly chartFailed?: boolean;
}

/** Reasons of Ready=False that say: something else must come first. */
const WAITING_REASONS: readonly string[] = ['DependencyNotReady', 'SourceNotReady'];

function conditionsOf(child: Child | undefined): readonly Condition[] {
  return child?.status?.conditions ?? [];
}

function hasNoReport({ child }: Facts): boolean {
  return getCondition(conditionsOf(child), 'Ready') === undefined && !isTrue(conditionsOf(child), 'Reconciling');
}

function waits({ child, chartFailed = false }: Facts): boolean {
  if (child !== undefined && backendOf(child).awaitsSource(child)) return true;
  return !chartFailed && WAITING_REASONS.includes(currentCondition(child, 'Ready')?.reason ?? '');
}

function isReady({ child }: Facts): boolean {
  const observed = child?.status?.observedGeneration ?? -1;
  return currentCondition(child, 'Ready')?.status === 'True' && observed >= (child?.metadata.generation ?? 0);
}

type Row = readonly [state: DestinationState, holds: (facts: Facts) => boolean];

/** First match wins. The last row always holds: by then the child said so itself. */
const TABLE: readonly Row[] = [
  ['Deleting', ({ child }) => child?.metadata.deletionTimestamp !== undefined],
  ['Suspended', ({ child, rejected }) => !rejected && child?.spec.suspend === true],
  ['Unreachable', ({ child }) => currentCondition(child, 'Ready')?.reason === CLUSTER_UNREACHABLE],
  ['Stalled', ({ child, rejected }) => rejected || currentCondition(child, 'Stalled')?.status === 'True'],
  [
    'Failed',
    (facts) => facts.writeFailed || (currentCondition(facts.child, 'Ready')?.status === 'False' && !waits(facts)),
  ],
  ['Drifted', ({ child }) => currentCondition(child, 'Drifted')?.status === 'True'],
  ['Progressing', (facts) => !isReady(facts) && !hasNoReport(facts) && !waits(facts)],
  ['Pending', (facts) => facts.isHeld === true || !isReady(facts)],
  ['Ready', () => true],
];

/** Reasons of a chart's Ready=False that say: its source must come first. */
const SOURCE_REASONS: readonly string[] = ['NoSourceArtifact', 'SourceUnavailable'];

/**
 * True when a HelmChart says that it cannot be had as it stands, e.g. because there is no such version. Never throws.
 */
export function isChartFailed(chart: Child | undefined): boolean {
  const ready = currentCondition(chart, 'Ready');
  return ready?.status === 'False' && !SOURCE_REASONS.includes(ready.reason);
}

/** The state of one destination. Reads metadata, `spec.suspend` and the conditions of the child. Never throws. */
export function stateOf(facts: Facts): DestinationState {
  return TABLE.find(([, holds]) => holds(facts))?.[0] ?? 'Ready';
}
