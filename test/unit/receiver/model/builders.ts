import type { Receiver, ReceiverSpec } from '#api/flux/receiver.js';

/** A Receiver of a GitRepository. */
export function receiver(spec: Partial<ReceiverSpec> = {}): Receiver {
  return {
    ...{ apiVersion: 'notification.toolkit.fluxcd.io/v1', kind: 'Receiver' },
    metadata: { name: 'hook', namespace: 'shop', generation: 1 },
    spec: {
      ...{ type: 'generic', resources: [{ kind: 'GitRepository', name: 'app' }], secretRef: { name: 'token' } },
      ...spec,
    },
  };
}
