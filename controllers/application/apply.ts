import pLimit from 'p-limit';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import {
  APPLICATION_UID_LABEL,
  FIELD_MANAGER,
  HOLDER_ANNOTATION,
  OFFERED_TO_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import { defined } from '#lib/plain.js';
import { ConflictError, TerminalError, TransientError } from '#lib/errors.js';
import { takeOverPatch } from '#lib/kube/managed-fields.js';
import { listed } from '#lib/text/text.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import { describeChild } from './model/child/messages.js';
import {
  belongAlike,
  handOver,
  isOnce,
  isPlain,
  offeredTo,
  offering,
  ownerNames,
  resumption,
  suspensionOf,
} from './model/child/metadata.js';
import { isRemoval, type Outcome, type Step } from './model/child/verdicts.js';
import type { Child } from './model/child/types.js';
import { differingFields, whyNotReady } from './model/children/plain.js';
import { isTerminating } from './model/children/state.js';

/** Fields that a message names. */
const NAMED = 10;

/** Parallel writes: enough to hide round trips, without starving others. */
export const PARALLEL_WRITES = 8;

type Deps = Pick<Pass, 'kube' | 'signal' | 'children'>;

type Change = Readonly<Record<string, unknown>> & { readonly metadata: object };

/** Merge patch of exactly the observed version of a child. */
export function patchVersion(live: Child, change: Change, { kube, signal }: Pick<Deps, 'kube' | 'signal'>) {
  const { resourceVersion } = live.metadata;
  const body = { ...change, metadata: { ...change.metadata, resourceVersion } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  return kube.patch<Child>(backendOf(live).resource, live.metadata, { type: 'merge', body }, options);
}

/** Server-side apply does not remove an owner reference or annotation that it never wrote. */
async function dropStaleOwners(live: Child, desired: Child, deps: Deps): Promise<Child> {
  // After a restore, these owners tell the engine that the child was garbage-collected, and not to uninstall.
  if (isTerminating(live)) return live;
  const own = desired.metadata.ownerReferences?.[0]?.uid;
  const stale = applicationOwners(live).filter(({ uid }) => uid !== own);
  const holder = (object: Child): string | undefined => object.metadata.annotations?.[HOLDER_ANNOTATION];
  const isHolderStale = holder(live) !== undefined && holder(desired) === undefined;
  if (stale.length === 0 && !isHolderStale) return live;
  const ownerReferences = (live.metadata.ownerReferences ?? []).filter((owner) => !stale.includes(owner));
  const annotations = isHolderStale ? { annotations: { [HOLDER_ANNOTATION]: null } } : {};
  return patchVersion(live, { metadata: { ownerReferences, ...annotations } }, deps);
}

async function write(object: Child, { kube, signal, children }: Deps): Promise<Child> {
  const type = backendOf(object).resource;
  const written = await kube.apply(type, object, { fieldManager: FIELD_MANAGER, force: true, signal });
  // Otherwise the next reconciliation might run before the watch event, and apply it again.
  children.find((cache) => cache.type === type)?.recordWrite(written);
  return written;
}

/**
 * Fields written by others, e.g. by a restore or `kubectl apply`, would stay when our entry does not set them: we
 * become the manager of the whole spec first, so that apply removes such fields, now and later. Returns the child as it
 * is then; undefined: it is gone.
 */
async function takeSpecOver(live: Child, { kube, signal }: Deps): Promise<Child | undefined> {
  const type = backendOf(live).resource;
  const whole = await kube.get<Child>(type, live.metadata, { signal });
  // A cache that is late says whose child it was. What was left behind since is taken over only as it is.
  if (whole !== undefined && !belongAlike(whole, live)) {
    throw new ConflictError(`${describeChild(live)} belongs to somebody else than the cache says`);
  }
  if (isPlain(live) && whole?.metadata.resourceVersion !== live.metadata.resourceVersion) {
    throw new ConflictError(`${describeChild(live)} is not as it was when it was to be taken over`);
  }
  const taking = { manager: FIELD_MANAGER, isTaken: () => true, below: 'f:spec' };
  const body = whole === undefined ? undefined : takeOverPatch(whole, taking);
  if (body === undefined) return whole;
  return kube.patch<Child>(type, live.metadata, { type: 'json', body }, { fieldManager: FIELD_MANAGER, signal });
}

/** The same, which the next reconciliation sees at once. */
export async function patchObserved(live: Child, change: Change, deps: Deps): Promise<Child> {
  const patched = await patchVersion(live, change, deps);
  deps.children.find((cache) => cache.type === backendOf(live).resource)?.recordWrite(patched);
  return patched;
}

/** Only after the child has its desired spec: no engine may act on the old one. */
async function resume(written: Child, desired: Child, deps: Deps): Promise<Child> {
  const change = resumption(written, desired);
  return change === undefined ? written : patchObserved(written, change, deps);
}

/** What is installed once changes only if it was not installed when that was decided. */
function asObserved(object: Child, live: Child): Child {
  if (!isOnce(object)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, ...defined({ resourceVersion: live.metadata.resourceVersion }) },
  };
}

/**
 * Throws unless a plain object stays as it is when it is taken over: what was judged once may have changed since, and a
 * pin or a rollback writes another revision. Nor may it get an owner that is gone: it would be deleted after it.
 */
async function requireTakable(live: Child, object: Child, { kube, signal }: Deps): Promise<void> {
  const fields = differingFields(live, object);
  const what = `${describeChild(live)} is offered as it is, and left unchanged`;
  if (fields.length > 0) {
    const wayOut = `have the Application say the same, or remove the annotation ${OFFERED_TO_ANNOTATION}`;
    throw new TerminalError('ReleaseConflict', `${what}, as it would change (${listed(fields, NAMED)}): ${wayOut}`);
  }
  const why = whyNotReady(live);
  if (why !== undefined) throw new TerminalError('ReleaseConflict', `${what}: ${why}`);
  const [name = ''] = ownerNames(object);
  const application = await kube.get(applicationResource, { ...live.metadata, name }, { signal });
  const isThere = application !== undefined && application.metadata.deletionTimestamp === undefined;
  if (isThere && application.metadata.uid === object.metadata.labels?.[APPLICATION_UID_LABEL]) return;
  throw new ConflictError(`the Application that ${describeChild(live)} is offered to is gone`);
}

/**
 * One write ties a plain object to its Application and gives it its spec, if it still is as it was when it was offered:
 * nobody sees one without the other. The offer goes last: if a pass ends before, the next one has it to do.
 */
async function takeOffered({ live, object }: Extract<Step, { op: 'update' }>, deps: Deps): Promise<Child> {
  await requireTakable(live, object, deps);
  const { resourceVersion = '' } = (await takeSpecOver(live, deps))?.metadata ?? live.metadata;
  const written = await write({ ...object, metadata: { ...object.metadata, resourceVersion } }, deps);
  return patchObserved(written, offering(undefined), deps);
}

async function update(step: Extract<Step, { op: 'update' }>, deps: Deps): Promise<Child> {
  const { object, isAdoption } = step;
  if (isPlain(step.live)) return takeOffered(step, deps);
  // Only one of two Applications may win a child that one offers to the other: it writes exactly the version it saw.
  const seen =
    offeredTo(step.live) === undefined ? step.live : await patchVersion(step.live, offering(undefined), deps);
  const hasOwner = object.metadata.ownerReferences !== undefined;
  // The server rejects two controlling owners. A child that loses its owner needs the annotation of its holder first.
  const live = hasOwner ? await dropStaleOwners(seen, object, deps) : seen;
  if (isAdoption) await takeSpecOver(live, deps);
  const written = await write(isAdoption ? object : asObserved(object, live), deps);
  const resumed = await resume(written, object, deps);
  if (!hasOwner) await dropStaleOwners(resumed, object, deps);
  return resumed;
}

/**
 * Nothing is uninstalled with a suspended child, and another Application may have taken one that was offered: exactly
 * the observed version of both is deleted.
 */
async function remove(live: Child, { kube, signal }: Deps): Promise<void> {
  const { uid, resourceVersion } = live.metadata;
  const isOpen = live.spec.suspend === true || offeredTo(live) !== undefined;
  const judged = isOpen ? { uid, resourceVersion } : { uid };
  await kube.delete(backendOf(live).resource, live.metadata, { ...judged, signal });
}

async function run(step: Step, deps: Deps): Promise<Child | undefined> {
  switch (step.op) {
    case 'create':
      return write(step.object, deps);
    case 'update':
      return update(step, deps);
    case 'delete':
      await remove(step.live, deps);
      return step.live;
    case 'suspend':
      // An engine that sees the deletion also sees that the child is suspended.
      return patchObserved(step.live, suspensionOf(step.live), deps);
    case 'offer':
      return patchObserved(step.live, offering(step.to), deps);
    case 'unmanage':
      return patchObserved(step.live, handOver(step.live), deps);
    case 'keep':
    case 'wait':
    case 'spare':
      return step.live;
  }
}

/** Runs `work` for each object; returns the errors. */
export async function toEach<T>(objects: readonly T[], work: (object: T) => Promise<void>): Promise<unknown[]> {
  const limit = pLimit(PARALLEL_WRITES);
  const results = await Promise.allSettled(objects.map((object) => limit(() => work(object))));
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}

function objectOf(step: Step): KubeObject | undefined {
  return 'object' in step ? step.object : step.live;
}

/** Adds the step and the object to the message of an error, and keeps its class. */
function inContext(step: Step, error: unknown): unknown {
  const object = objectOf(step);
  if (object === undefined || !(error instanceof TransientError)) return error;
  const { reason, retryAfterMs, status } = error;
  const message = `cannot ${step.op} ${describeChild(object)}: ${error.message}`;
  return new TransientError(message, { cause: error, reason, retryAfterMs, status });
}

async function attempt(step: Step, deps: Deps): Promise<Outcome> {
  const live = 'live' in step ? step.live : undefined;
  try {
    return { step, child: await run(step, deps) };
  } catch (error: unknown) {
    return { step, child: live, error: inContext(step, error) };
  }
}

/**
 * Applies all steps, removals last: other writes may take minutes, so `mayRemove` is asked before the first one. Returns
 * one outcome per step that was tried, in their order; a failure never stops another step.
 */
export async function applySteps(
  steps: readonly Step[],
  deps: Deps,
  mayRemove: () => Promise<boolean>,
): Promise<Outcome[]> {
  const limit = pLimit(PARALLEL_WRITES);
  const outcomes = new Map<Step, Outcome>();
  const runAll = async (chosen: readonly Step[]): Promise<void> => {
    await Promise.all(chosen.map((step) => limit(async () => outcomes.set(step, await attempt(step, deps)))));
  };
  await runAll(steps.filter((step) => !isRemoval(step)));
  const removals = steps.filter(isRemoval);
  if (removals.length > 0 && (await mayRemove())) await runAll(removals);
  return steps.flatMap((step) => outcomes.get(step) ?? []);
}
