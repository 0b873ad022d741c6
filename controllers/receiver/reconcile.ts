import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { receiverResource, type Receiver, type ReceiverStatus } from '#api/flux/receiver.js';
import type { PassContext, Result } from '#runtime/controller.js';
import { getCondition, timestamp } from '#lib/kube/conditions.js';
import { CancelledError, ConflictError, isNotFound } from '#lib/errors.js';
import { parseKey } from '#lib/kube/keys.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { dropFinalizer, hasFinalizer } from '#engine/flux/finalizers.js';
import { mergePatch } from '#engine/flux/model/merge-patch.js';
import { intervalMs } from '#engine/flux/model/timing.js';
import type { Deps } from './deps.js';
import { initialized, rejected } from './model/status.js';
import { acceptReceiver } from './model/validate.js';
import { webhookPath } from './model/webhook-path.js';
import { readToken } from './token.js';

/** Flux's controller of this kind. */
export const FIELD_MANAGER = 'notification-controller';

/** Says what is new; the path is for those who may read the status. */
function announce({ events }: Pick<Deps, 'events'>, receiver: Receiver, next: ReceiverStatus): void {
  const [before, after] = [receiver.status, next].map((status) => getCondition(status?.conditions, 'Ready'));
  if (after === undefined || (before?.reason === after.reason && before.message === after.message)) return;
  if (after.status === 'True') events.record(receiver, 'Normal', after.reason, 'status.webhookPath is initialized');
  else events.record(receiver, 'Warning', after.reason, after.message);
}

/** One patch, if the status differs. */
async function writeStatus(deps: Deps, receiver: Receiver, next: ReceiverStatus): Promise<void> {
  const { metadata, status = {} } = receiver;
  const requested = metadata.annotations?.[REQUESTED_AT_ANNOTATION];
  const handled = requested === undefined ? next : { ...next, lastHandledReconcileAt: requested };
  const patch = mergePatch(status, handled);
  if (patch === undefined) return;
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER } as const;
  try {
    const body = { status: patch };
    deps.receivers.recordWrite(
      await deps.kube.patch<Receiver>(receiverResource, metadata, { type: 'merge', body }, options),
    );
  } catch (error: unknown) {
    if (isNotFound(error)) return;
    throw error;
  }
  announce(deps, receiver, handled);
}

async function initialize(deps: Deps, receiver: Receiver, { signal }: PassContext): Promise<void> {
  const { metadata, status = {} } = receiver;
  const moment = { generation: metadata.generation ?? 0, now: timestamp(deps.now()) };
  try {
    acceptReceiver(receiver, deps.allowCrossNamespace);
    const path = webhookPath(await readToken(deps.kube, receiver, signal), metadata);
    await writeStatus(deps, receiver, initialized(status, moment, path));
  } catch (error: unknown) {
    if (error instanceof CancelledError || error instanceof ConflictError) throw error;
    await writeStatus(deps, receiver, rejected(status, moment, problemOf(error, 'ReconcileError')));
    throw error;
  }
}

/**
 * Reconciles one Receiver: publishes its path, or why it has none. It needs no finalizer; one of Flux's is dropped when
 * the Receiver is deleted.
 */
export async function reconcileReceiver(deps: Deps, key: string, pass: PassContext): Promise<Result> {
  const receiver = deps.receivers.get(parseKey(key));
  if (receiver === undefined) return {};
  if (receiver.metadata.deletionTimestamp !== undefined) {
    const writer = { kube: deps.kube, type: receiverResource, fieldManager: FIELD_MANAGER };
    if (hasFinalizer(receiver)) await dropFinalizer(writer, receiver, pass.signal);
    return {};
  }
  if (receiver.spec.suspend === true) return {};
  await initialize(deps, receiver, pass);
  return { requeueAfterMs: intervalMs(receiver.spec, receiver.metadata.uid ?? '') };
}
