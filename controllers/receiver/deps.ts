import type { Receiver } from '#api/flux/receiver.js';
import type { KubeObject } from '#api/meta.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import type { Cache } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';

/** Index of Receivers by `status.webhookPath`. */
export const BY_PATH = 'receiver.webhookPath';

/** What the reconciliation of Receivers needs. */
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
