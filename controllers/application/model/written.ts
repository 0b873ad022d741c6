import type { Child, Step } from './types.js';

/** True for steps that start or complete the removal of what a child deployed. */
export function isRemoval(step: Step): step is Extract<Step, { op: 'delete' | 'suspend' | 'update' }> {
  return step.op === 'delete' || step.op === 'suspend' || (step.op === 'update' && step.uninstalls !== undefined);
}

const WRITING: readonly string[] = ['update', 'unmanage', 'delete'];

/** The children that steps write or delete. */
export function writtenBy(steps: readonly Step[]): ReadonlySet<Child> {
  return new Set(steps.flatMap((step) => (WRITING.includes(step.op) && 'live' in step ? (step.live ?? []) : [])));
}
