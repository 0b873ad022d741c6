import { serviceAccountResource } from '#api/core.js';
import { CLUSTER_REPLACED, CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import { ControllerError, TerminalError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { ApplyingDeps } from './deps.js';
import { clusterOf } from './model/cluster.js';
import { serviceAccountOf } from './model/service-account.js';
import type { Applying } from './model/types.js';

const ACCOUNT_NOT_FOUND = 'ServiceAccountNotFound';

/**
 * As Flux: on the host a namespace that ends may have lost the account before the objects in it, and nothing can be done
 * without. Throws TerminalError `ServiceAccountNotFound`.
 */
export async function requireAccount(
  { kube, settings }: Pick<ApplyingDeps, 'kube' | 'settings'>,
  object: Applying,
  signal: AbortSignal,
): Promise<void> {
  const name = serviceAccountOf(object, settings.defaultServiceAccount);
  if (name === undefined || clusterOf(object.spec).kind !== 'host') return;
  const ref = { name, namespace: object.metadata.namespace };
  if ((await kube.get(serviceAccountResource, ref, { signal })) !== undefined) return;
  throw new TerminalError(ACCOUNT_NOT_FOUND, `ServiceAccount ${keyOf(ref)} does not exist`);
}

const NO_WAY: readonly string[] = ['KubeConfigSecretNotFound', ACCOUNT_NOT_FOUND];
/** Reasons of a cluster that cannot be reached or identified, was replaced, or answers with too much. */
const OUT_OF_REACH: readonly string[] = [
  ...['KubeConfigInvalid', 'FeatureNotSupported'],
  ...[CLUSTER_REPLACED, CLUSTER_UNREACHABLE, 'AnswerTooLong'],
];

/**
 * Whether a deletion may go on although its cluster gave no answer: without kubeconfig Secret or ServiceAccount there is
 * nothing to delete with, and where nothing was ever done there is nothing to delete.
 */
export function mayLetGo(error: unknown, { neverActed }: { readonly neverActed: boolean }): error is ControllerError {
  if (!(error instanceof ControllerError)) return false;
  const { reason = '' } = error;
  if (NO_WAY.includes(reason)) return true;
  return OUT_OF_REACH.includes(reason) && neverActed;
}
