import { receiverResource, type Receiver, type ReceiverStatus } from '#api/flux/receiver.js';
import type { KubeObject } from '#api/meta.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import type { Cache, PassContext, Result } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { secretResource } from '#api/core.js';
import { WaitingError, CancelledError, ConflictError, isNotFound } from '#lib/errors.js';
import {
  notReady,
  withCondition,
  withoutConditions,
  type PassMoment,
  type Problem,
} from '#engine/flux/model/progress.js';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { getCondition, timestamp } from '#lib/kube/conditions.js';
import { parseKey } from '#lib/kube/keys.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { dropFinalizer, hasFinalizer } from '#engine/flux/finalizers.js';
import { mergePatch } from '#engine/flux/model/merge-patch.js';
import { intervalMs } from '#engine/flux/model/timing.js';
import { acceptReceiver } from './model/validate.js';
import { webhookPath } from './model/authenticate.js';

/** Index of Receivers by `status.webhookPath`. */
export const BY_PATH = 'receiver.webhookPath';

/** The services that reconcile Receivers. */
export interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  readonly receivers: Cache<Receiver>;
  /** Their metadata only. */
  readonly secrets: Cache<KubeObject>;
  readonly allowCrossNamespace: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

/** The watch on Secrets comes first. */
const RETRY_MS = 60_000;

/** The token of a Receiver, byte by byte. Throws WaitingError `TokenNotFound`. */
export async function readToken(kube: Kube, { metadata, spec }: Receiver, signal: AbortSignal): Promise<Buffer> {
  const { namespace = '' } = metadata;
  const name = spec.secretRef?.name ?? '';
  const secret = await kube.get<Secret>(secretResource, { name, namespace }, { signal });
  const token = Buffer.from(secret?.data?.['token'] ?? '', 'base64');
  if (token.length > 0) return token;
  const problem = secret === undefined ? 'does not exist: create it' : 'lacks the key token: add it';
  throw new WaitingError('TokenNotFound', `Secret '${namespace}/${name}' named by spec.secretRef ${problem}`, {
    retryAfterMs: RETRY_MS,
  });
}

/** The status of a Receiver that accepts webhooks, in Flux's words. */
export function initialized(status: ReceiverStatus, moment: PassMoment, path: string): ReceiverStatus {
  const message = `Receiver initialized for path: ${path}`;
  const ready = withCondition(withoutConditions(status, 'Reconciling', 'Stalled'), moment, {
    ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message },
  });
  return { ...ready, observedGeneration: moment.generation, webhookPath: path };
}

/** The status of a Receiver that cannot accept webhooks. One that is only out of reach keeps its path. */
export function rejected(
  status: ReceiverStatus,
  moment: PassMoment,
  problem: Problem & { readonly stalled: boolean },
): ReceiverStatus {
  const { webhookPath, ...next } = notReady(status, moment, problem);
  const isInvalid = problem.stalled || problem.reason === 'TokenNotFound';
  return isInvalid || webhookPath === undefined ? next : { ...next, webhookPath };
}

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
