import pLimit from 'p-limit';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { PARALLEL_WRITES } from './apply.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import type { Plan } from './model/decide.js';
import { concludeDryRun, type Answer } from './model/dry-run.js';
import type { Step } from './model/child/verdicts.js';
import { writeStatus } from './write-status.js';

/** Asks the host, by a dry run, what it would make of a child. */
async function ask(step: Step, { kube, signal }: Pass): Promise<Answer> {
  if (step.op !== 'create' && step.op !== 'update') return undefined;
  const { object } = step;
  const live = step.op === 'update' ? step.live : undefined;
  const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true, signal };
  try {
    return { live, next: await kube.apply(backendOf(object).resource, object, options) };
  } catch (error: unknown) {
    // What the server says of the child is part of the answer; that it says nothing is not.
    const isAnswer =
      error instanceof TransientError && !(error instanceof CancelledError) && error.status !== undefined;
    if (!isAnswer) throw error;
    return { error: error.message };
  }
}

/** Publishes what a plan would do to the children, and does nothing else. */
export async function publishDryRun(plan: Plan, pass: Pass): Promise<void> {
  const limit = pLimit(PARALLEL_WRITES);
  const answers = await Promise.all(
    plan.steps.map((step) => limit(async () => [step, await ask(step, pass)] as const)),
  );
  const conclusion = concludeDryRun(plan, new Map(answers), pass.now());
  await writeStatus({ ...conclusion, metadata: undefined }, pass);
}
