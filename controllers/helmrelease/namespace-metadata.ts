import { namespaceResource } from '#api/core.js';
import type { PlannedChange } from '#api/dry-run.js';
import type { KubeObject } from '#api/meta.js';
import { NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import { objectChange } from '#engine/dry-run/change-set.js';
import { apiStatusOf, ConflictError, TransientError, WaitingError } from '#lib/errors.js';
import { isEmptyMetadata, type NamespaceMetadata } from '#lib/kube/namespace-metadata.js';
import { report } from '#engine/flux/write-status.js';
import type { ClusterContext } from '#engine/flux/objects.js';
import {
  namespaceManager,
  namespaceWish,
  planNamespace,
  appliedBy,
  planWithdrawal,
  type NamespacePlan,
} from './model/namespace.js';
import { installOptions } from './action-options.js';
import type { ActionContext } from './actions/context.js';
import { ensureNamespace } from './actions/apply.js';
import { type Pass, writerOf } from './pass.js';
import type { Conclusion } from './model/conclude.js';
import type { Plan } from './model/decide.js';
import { requireFresh } from './observe.js';
import type { ReleasePass } from './prepare.js';
import { reasonText } from '#engine/member/member-failure.js';

/** A namespace on a cluster, as the identity of an object sees it. */
type Place = Pick<ClusterContext, 'member' | 'namespace' | 'signal'>;

interface Settling {
  readonly wish: NamespaceMetadata;
  /** See `namespaceManager`. */
  readonly manager: string;
  /** Nobody tells when a namespace or its labels change. */
  readonly retryAfterMs: number;
  /** Called before the first write. */
  readonly beforeWrite: () => Promise<void>;
}

/** The namespace, with the managers of its fields; undefined if it does not exist. */
function readNamespace({ member, namespace, signal }: Place): Promise<KubeObject | undefined> {
  return member.kube.get<KubeObject>(namespaceResource, { name: namespace }, { signal });
}

async function applyTo(
  { member, signal }: Place,
  { object }: Extract<NamespacePlan, { op: 'apply' }>,
  fieldManager: string,
): Promise<void> {
  await member.kube.apply(namespaceResource, object, { fieldManager, signal });
}

/** An API server says so, and its client knows it by this form. */
function missing(name: string): TransientError {
  const subject = { resource: 'namespaces', name };
  const status = { code: 404, reason: 'NotFound', causes: [], subject };
  const message = `namespace ${name}, which is to get labels or annotations, does not exist`;
  return new TransientError(message, { reason: 'NamespaceNotReady', status });
}

async function settleLive(place: Place, live: KubeObject, settling: Settling): Promise<void> {
  const { wish, manager, retryAfterMs, beforeWrite } = settling;
  const plan = planNamespace(live, { wish, manager });
  if (plan.op === 'refuse') throw new WaitingError('NamespaceConflict', plan.why, { retryAfterMs });
  if (plan.op === 'nothing') return;
  await beforeWrite();
  await applyTo(place, plan, manager).catch((error: unknown) => {
    // Somebody set another value just now: the next read finds it.
    if (!(error instanceof ConflictError) || error.status?.causes.length === 0) throw error;
    throw new WaitingError('NamespaceConflict', error.message, { cause: error, retryAfterMs: 1_000 });
  });
}

/**
 * Brings labels and annotations of a namespace to their desired state: writes those that are wanted, takes back what
 * the manager has set before, and changes nothing else. `mayBeMissing`: false is returned if the namespace does not
 * exist. Throws WaitingError `NamespaceConflict`, TransientError `NamespaceNotReady`, or what the cluster says.
 */
async function settleNamespace(
  place: Place,
  settling: Settling,
  { mayBeMissing = false }: { readonly mayBeMissing?: boolean } = {},
): Promise<boolean> {
  const live = await readNamespace(place);
  if (live === undefined) {
    if (mayBeMissing || isEmptyMetadata(settling.wish)) return false;
    throw missing(place.namespace);
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    if (isEmptyMetadata(settling.wish)) return true;
    const message = `namespace ${place.namespace}, which is to get labels or annotations, is being deleted`;
    throw new WaitingError('NamespaceNotReady', message, settling);
  }
  await settleLive(place, live, settling);
  return true;
}

/** Takes back what the manager has set on the namespace, if that still exists. */
async function withdrawFromNamespace(place: Place, manager: string): Promise<void> {
  const live = await readNamespace(place);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
  if (appliedBy(live, manager) === undefined) return;
  const plan = planWithdrawal(live, manager);
  if (plan.op === 'apply') await applyTo(place, plan, manager);
}

const FORBIDDEN = 403;

/** Gone, changed meanwhile, or no longer what was tested for. */
const OVERTAKEN: readonly unknown[] = [404, 409, 422];

interface Wish {
  readonly wish: NamespaceMetadata;
  readonly manager: string;
}

function wishIn(pass: Pick<ReleasePass, 'release'>): Wish | undefined {
  const wish = namespaceWish(pass.release);
  return wish === undefined ? undefined : { wish, manager: namespaceManager(pass.release) };
}

function createsNamespace({ release: { spec } }: ReleasePass, action: 'install' | 'upgrade'): boolean {
  return action === 'install' && installOptions(spec, { observedRevision: 0 }).createNamespace;
}

async function settle(
  pass: ReleasePass,
  wanted: Wish,
  { mayBeMissing = false, beforeWrite = () => Promise.resolve() } = {},
): Promise<boolean> {
  const { context, settings } = pass;
  const settling = { ...wanted, retryAfterMs: settings.dependencyRequeueMs, beforeWrite };
  return settleNamespace(context, settling, { mayBeMissing });
}

/**
 * Before an install or upgrade, which admission may allow only with these labels. The result is to be called once the
 * chart is rendered: a namespace that the install creates has none before. Throws what ends the reconciliation.
 */
export async function settleBeforeRelease(
  pass: ReleasePass,
  action: 'install' | 'upgrade',
): Promise<() => Promise<void>> {
  const wanted = wishIn(pass);
  const nothing = (): Promise<void> => Promise.resolve();
  if (wanted === undefined || isEmptyMetadata(wanted.wish)) return nothing;
  if (await settle(pass, wanted, { mayBeMissing: createsNamespace(pass, action) })) return nothing;
  return async () => {
    await ensureNamespace(pass.context);
    await settle(pass, wanted);
  };
}

/** Removes the annotation that asked for it, unless it says something else by now. */
async function dropTrace(pass: ReleasePass): Promise<void> {
  const { kube, type, fieldManager } = writerOf(pass);
  const path = `/metadata/annotations/${NAMESPACE_METADATA_ANNOTATION.replaceAll('/', '~1')}`;
  const value = pass.release.metadata.annotations?.[NAMESPACE_METADATA_ANNOTATION];
  const body = [
    { op: 'test', path, value },
    { op: 'remove', path },
  ];
  const { name, namespace } = pass.release.metadata;
  await kube
    .patch(type, { name, namespace }, { type: 'json', body }, { fieldManager, signal: pass.signal })
    .catch((error: unknown) => {
      if (!OVERTAKEN.includes(apiStatusOf(error)?.code)) throw error;
    });
}

/**
 * Takes back what the release has set on namespaces that it leaves. Without the right to do so there is nothing to wait
 * for: the result says it. Throws what else keeps it from that.
 */
export async function withdrawFrom(
  pass: Pass,
  context: ActionContext,
  namespaces: readonly string[],
): Promise<string | undefined> {
  if (pass.release.metadata.annotations?.[NAMESPACE_METADATA_ANNOTATION] === undefined) return undefined;
  const manager = namespaceManager(pass.release);
  try {
    for (const namespace of new Set(namespaces)) await withdrawFromNamespace({ ...context, namespace }, manager);
    return undefined;
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code !== FORBIDDEN) throw error;
    return `labels and annotations of the namespace stay: ${reasonText(error)}`;
  }
}

/** Nothing is wanted any more. A namespace that may not be read cannot have been changed, or not be changed back. */
async function withdraw(pass: ReleasePass, beforeWrite: () => Promise<void>): Promise<void> {
  const { context, events, release } = pass;
  await beforeWrite();
  const kept = await withdrawFrom(pass, context, [context.namespace]);
  if (kept !== undefined) events.record(release, 'Warning', 'NamespaceMetadataKept', kept);
  await dropTrace(pass);
}

async function settleOrWithdraw({ observed: { progress } }: Plan, pass: ReleasePass, wanted: Wish): Promise<void> {
  const isFirst = progress.actions.length === 0;
  const beforeWrite = async (): Promise<void> => {
    await pass.status.settle();
    if (isFirst) await requireFresh(pass);
  };
  if (isEmptyMetadata(wanted.wish)) await withdraw(pass, beforeWrite);
  // An install or upgrade of this pass has looked already.
  else if (isFirst) await settle(pass, wanted, { beforeWrite });
}

/**
 * Where nothing is left to do but the namespace. Throws what ends the reconciliation, after reporting the correction
 * that it comes to otherwise.
 */
export async function settleAtRest(plan: Plan, pass: ReleasePass, conclusion: Conclusion): Promise<void> {
  const { kind } = plan.decision;
  const wanted = kind === 'done' || kind === 'correct' ? wishIn(pass) : undefined;
  if (wanted === undefined) return;
  try {
    await settleOrWithdraw(plan, pass, wanted);
  } catch (error: unknown) {
    if (kind === 'correct') report(conclusion, pass);
    throw error;
  }
}

function contentOf({ metadata: { labels = {}, annotations = {} } }: KubeObject): object {
  return { metadata: { labels, annotations } };
}

/** What would change on the namespace. `pass` must be of a dry run. */
export async function plannedNamespace(pass: ReleasePass, action: string | undefined): Promise<PlannedChange[]> {
  const wanted = wishIn(pass);
  if (wanted === undefined) return [];
  const { member, namespace, signal } = pass.context;
  const live = await readNamespace(pass.context);
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  if (live === undefined) {
    // An install that creates it lists it already.
    const isListed = action === 'install' && createsNamespace(pass, action);
    const message = `namespace ${namespace} does not exist: create it, or set spec.install.createNamespace`;
    return isListed || isEmptyMetadata(wanted.wish) ? [] : [objectChange({ action: 'failed', object, message })];
  }
  const plan = planNamespace(live, wanted);
  if (plan.op === 'nothing') return [];
  if (plan.op === 'refuse') return [objectChange({ action: 'failed', object, message: plan.why })];
  const next = await member.kube.apply(namespaceResource, plan.object, { fieldManager: wanted.manager, signal });
  return [objectChange({ action: 'changed', object, compared: { old: contentOf(live), new: contentOf(next) } })];
}
