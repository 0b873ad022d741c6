import { isJob, isPod } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';

/** Whether a workload that runs to completion has completed. `failure`: why it failed. */
export interface Completion {
  readonly done: boolean;
  readonly failure?: string;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? `: ${value}` : '';
}

/** A Job is done with condition Complete, and has failed with condition Failed. */
function jobOutcome(job: Unstructured): Completion {
  const conditions = field(job['status'], 'conditions');
  if (!Array.isArray(conditions)) return { done: false };
  const isTrue = (type: string): unknown =>
    conditions.find((condition: unknown) => field(condition, 'type') === type && field(condition, 'status') === 'True');
  const failed = isTrue('Failed');
  if (failed !== undefined) return { done: true, failure: `failed${textOf(field(failed, 'message'))}` };
  return { done: isTrue('Complete') !== undefined };
}

/** A Pod is done in phase Succeeded, and has failed in phase Failed. */
function podOutcome(pod: Unstructured): Completion {
  const phase = field(pod['status'], 'phase');
  if (phase === 'Failed') return { done: true, failure: `failed${textOf(field(pod['status'], 'message'))}` };
  return { done: phase === 'Succeeded' };
}

/**
 * Whether a live object of a hook has completed. Objects other than Jobs and Pods are complete as soon as they exist.
 */
export function completionOf(live: Unstructured): Completion {
  if (isJob(live)) return jobOutcome(live);
  return isPod(live) ? podOutcome(live) : { done: true };
}
