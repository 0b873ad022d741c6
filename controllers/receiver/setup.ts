import { secretResource } from '#api/core.js';
import { receiverResource, type Receiver } from '#api/flux/receiver.js';
import { type Change, type Controller, type Permission, type SetupContext, isWorthAPass } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { keyOf } from '#lib/kube/keys.js';
import { BY_PATH, reconcileReceiver } from './reconcile.js';
import { TARGET_TYPES } from './model/validate.js';
import { webhookHandler, type HandleWebhook } from './webhooks.js';

export interface ReceiverDependencies {
  /** For webhooks, which every replica answers; the controller itself has a fenced client. */
  readonly kube: Kube;
  /** Whether a Receiver may name objects of other namespaces. */
  readonly allowCrossNamespace: boolean;
}

const { group, plural } = receiverResource;
const BY_SECRET = 'receiver.secret';

function targetPermission(ofGroup: string): Permission {
  const resources = TARGET_TYPES.filter((type) => type.group === ofGroup).map((type) => type.plural);
  return { group: ofGroup, resources, verbs: ['get', 'list', 'patch'] };
}

/** Permissions on the host cluster. */
export const permissions: readonly Permission[] = [
  { group, resources: [plural], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
  { group, resources: [`${plural}/status`], verbs: ['get', 'patch', 'update'] },
  ...[...new Set(TARGET_TYPES.map((type) => type.group))].map(targetPermission),
  { group: '', resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
];

function secretOf({ metadata, spec }: Receiver): string[] {
  return spec.secretRef === undefined ? [] : [keyOf({ name: spec.secretRef.name, namespace: metadata.namespace })];
}

function pathOf({ status }: Receiver): string[] {
  return status?.webhookPath === undefined ? [] : [status.webhookPath];
}

/** The Receiver controller of the embedded engine, and what answers webhooks. */
export function setUpReceivers(
  context: SetupContext,
  { kube, allowCrossNamespace }: ReceiverDependencies,
): { readonly controller: Controller; readonly handle: HandleWebhook } {
  const { events, log, now, offload } = context;
  const receivers = context.cache<Receiver>(receiverResource, {
    optional: true,
    indexes: { [BY_SECRET]: secretOf, [BY_PATH]: pathOf },
  });
  const secrets = context.cache(secretResource, { metadataOnly: true });
  const shared = { receivers, secrets, allowCrossNamespace, now };
  const ofSecret = ({ object }: Change): string[] =>
    receivers.byIndex(BY_SECRET, keyOf(object.metadata)).map(({ metadata }) => keyOf(metadata));
  const deps = { ...shared, kube: context.kube, events };
  const controller: Controller = {
    name: 'receiver',
    concurrency: 2,
    watches: [
      { cache: receivers, toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []) },
      { cache: secrets, toKeys: ofSecret },
    ],
    reconcile: (key, pass) => reconcileReceiver(deps, key, pass),
  };
  return { controller, handle: webhookHandler({ ...shared, kube, offload, log }) };
}
