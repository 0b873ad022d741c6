import { namespaceResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { ConflictError, TransientError, WaitingError } from '../../runtime/pure/errors.js';
import { isEmptyMetadata, type NamespaceMetadata } from '../../runtime/pure/namespace-metadata.js';
import type { ClusterContext } from './objects.js';
import { appliedBy, planNamespace, planWithdrawal, type NamespacePlan } from './model/namespace-metadata.js';

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
export function readNamespace({ member, namespace, signal }: Place): Promise<KubeObject | undefined> {
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

async function settle(place: Place, live: KubeObject, settling: Settling): Promise<void> {
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
export async function settleNamespace(
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
  await settle(place, live, settling);
  return true;
}

/** Takes back what the manager has set on the namespace, if that still exists. */
export async function withdrawFromNamespace(place: Place, manager: string): Promise<void> {
  const live = await readNamespace(place);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
  if (appliedBy(live, manager) === undefined) return;
  const plan = planWithdrawal(live, manager);
  if (plan.op === 'apply') await applyTo(place, plan, manager);
}
