import pLimit from 'p-limit';
import type { KubeObject } from '../../api/meta.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import type { Pass } from './context.js';
import { resourceOf } from './model/child-kind.js';
import { describeChild } from './model/messages.js';
import { applicationOwners } from './model/ownership.js';
import type { Child, Outcome, Step } from './model/types.js';
import { TransientError } from '../runtime/pure/errors.js';

/** Writes at the same time: enough to hide the round trips, not so many that others starve. */
export const PARALLEL_WRITES = 8;

type Surroundings = Pick<Pass, 'kube' | 'signal' | 'children'>;

/** Two controlling owners are refused by the server, and server-side apply cannot remove what it never wrote. */
async function dropStaleOwners(live: Child, desired: Child, { kube, signal }: Surroundings): Promise<void> {
  const own = desired.metadata.ownerReferences?.[0]?.uid;
  const stale = applicationOwners(live).filter(({ uid }) => uid !== own);
  if (stale.length === 0) return;
  const { resourceVersion, ownerReferences = [] } = live.metadata;
  const kept = ownerReferences.filter((owner) => !stale.includes(owner));
  const body = { metadata: { resourceVersion, ownerReferences: kept } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await kube.patch(resourceOf(live), live.metadata, { type: 'merge', body }, options);
}

async function write(object: Child, { kube, signal, children }: Surroundings): Promise<Child> {
  const type = resourceOf(object);
  const written = await kube.apply(type, object, { fieldManager: FIELD_MANAGER, force: true, signal });
  // Or the next pass would take what the watch has not brought yet for missing, and apply it once more.
  children.find((cache) => cache.type === type)?.note(written);
  return written;
}

async function remove(live: Child, { kube, signal }: Surroundings): Promise<void> {
  await kube.delete(resourceOf(live), live.metadata, { uid: live.metadata.uid, signal });
}

async function run(step: Step, surroundings: Surroundings): Promise<Child | undefined> {
  switch (step.op) {
    case 'create':
      return write(step.object, surroundings);
    case 'update':
      await dropStaleOwners(step.live, step.object, surroundings);
      return write(step.object, surroundings);
    case 'delete':
      await remove(step.live, surroundings);
      return step.live;
    case 'keep':
    case 'wait':
    case 'spare':
      return step.live;
  }
}

function objectOf(step: Step): KubeObject | undefined {
  return 'object' in step ? step.object : step.live;
}

/** Keeps the class of what failed, and says what it was about. */
function inContext(step: Step, error: unknown): unknown {
  const object = objectOf(step);
  if (object === undefined || !(error instanceof TransientError)) return error;
  const { reason, retryAfterMs, status } = error;
  const message = `cannot ${step.op} ${describeChild(object)}: ${error.message}`;
  return new TransientError(message, { cause: error, reason, retryAfterMs, status });
}

async function attempt(step: Step, surroundings: Surroundings): Promise<Outcome> {
  const live = 'live' in step ? step.live : undefined;
  try {
    return { step, child: await run(step, surroundings) };
  } catch (error: unknown) {
    return { step, child: live, error: inContext(step, error) };
  }
}

/** Runs every step, deletes last. One outcome per step, in the order of the steps; a failure never stops another step. */
export async function applySteps(steps: readonly Step[], surroundings: Surroundings): Promise<Outcome[]> {
  const limit = pLimit(PARALLEL_WRITES);
  const runAll = (chosen: readonly Step[]): Promise<Outcome[]> =>
    Promise.all(chosen.map((step) => limit(() => attempt(step, surroundings))));
  const isDelete = (step: Step): boolean => step.op === 'delete';
  const written = await runAll(steps.filter((step) => !isDelete(step)));
  const deleted = await runAll(steps.filter(isDelete));
  const outcomes = new Map([...written, ...deleted].map((outcome) => [outcome.step, outcome]));
  return steps.flatMap((step) => outcomes.get(step) ?? []);
}
