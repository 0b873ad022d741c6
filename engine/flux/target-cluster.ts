import { recordedUid } from '#api/v1alpha1/labels.js';
import { CLUSTER_REPLACED, CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import { serviceAccountResource } from '#api/core.js';
import { ControllerError, TerminalError, TransientError } from '#lib/errors.js';
import type { Kube } from '#runtime/client/kube.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Member } from '../member/member.js';
import type { ApplyingDeps } from './deps.js';
import { clusterOf, serviceAccountOf, replacedBy } from './model/cluster.js';
import type { Applying } from './model/types.js';
import { isMemberFailure } from '../member/member-failure.js';

function explain(error: unknown, { key, kube }: Member): unknown {
  const silent = isMemberFailure(error) && error instanceof TransientError && error.reason !== CLUSTER_UNREACHABLE;
  if (!silent) return error;
  return new TransientError(`cannot reach cluster ${key} at ${kube.server}: ${error.message}`, {
    cause: error,
    reason: CLUSTER_UNREACHABLE,
    retryAfterMs: error.retryAfterMs,
  });
}

/** Methods that do not return a promise. */
const IMMEDIATE: readonly (string | symbol)[] = ['watch', 'actingAs'] satisfies (keyof Kube)[];

/** `kube`, with explained errors; a watch explains its own. */
function guardKube(member: Member): Kube {
  return new Proxy(member.kube, {
    // The client has private fields, so its methods must not run with the proxy as `this`.
    get(kube, property) {
      const value: unknown = Reflect.get(kube, property);
      if (typeof value !== 'function') return value;
      if (IMMEDIATE.includes(property)) return (...args: unknown[]): unknown => Reflect.apply(value, kube, args);
      return (...args: unknown[]): Promise<unknown> =>
        Promise.resolve(Reflect.apply(value, kube, args)).catch((error: unknown) => {
          throw explain(error, member);
        });
    },
  });
}

function explaining(member: Member): Member {
  const explained = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error: unknown) {
      throw explain(error, member);
    }
  };
  return {
    ...member,
    kube: guardKube(member),
    resourceType: (apiVersion, kind, options) => explained(member.resourceType(apiVersion, kind, options)),
    servedType: (apiVersion, kind, options) => explained(member.servedType(apiVersion, kind, options)),
    capabilities: (options) => explained(member.capabilities(options)),
    clusterUid: (options) => explained(member.clusterUid(options)),
  };
}

const known = new WeakMap<Member, Member>();

/**
 * The same member, whose connection errors become a TransientError `ClusterUnreachable` that names it, so that an
 * unreachable cluster is not taken for a failed release. One wrapper per member.
 */
export function reachable(member: Member): Member {
  const form = known.get(member) ?? explaining(member);
  known.set(member, form);
  return form;
}

/** Throws TransientError `ClusterReplaced` if the object was made for another cluster. */
async function requireSameCluster(object: Applying, member: Member, signal: AbortSignal): Promise<void> {
  // Only of objects that say so: for others, nothing is asked.
  if (recordedUid(object) === undefined) return;
  const problem = replacedBy(object, member.key, await member.clusterUid({ signal }));
  if (problem !== undefined) throw new TransientError(problem, { reason: CLUSTER_REPLACED });
}

/**
 * The target cluster of an object, impersonating its ServiceAccount if it has one; the host only if the spec names no
 * other. Throws TerminalError with the field, or the Secret and its key, and what to do; TransientError
 * `ClusterReplaced` if it is another cluster than the one that the object was made for.
 */
export async function targetCluster(
  { members, settings }: Pick<ApplyingDeps, 'members' | 'settings'>,
  object: Applying,
  signal: AbortSignal,
): Promise<Member> {
  const { metadata, spec } = object;
  const cluster = clusterOf(spec);
  if (cluster.kind === 'unreadable') throw new TerminalError(cluster.reason, cluster.problem);
  const ref = cluster.kind === 'host' ? 'host' : cluster;
  const serviceAccount = serviceAccountOf({ spec }, settings.defaultServiceAccount);
  const member = reachable(await members.get(ref, metadata.namespace ?? '', { signal, serviceAccount }));
  if (ref !== 'host') await requireSameCluster(object, member, signal);
  return member;
}

const ACCOUNT_NOT_FOUND = 'ServiceAccountNotFound';

/**
 * As Flux: on the host a namespace that ends may have lost the account before the objects in it, and nothing can be done
 * without. Throws TerminalError `ServiceAccountNotFound`.
 */
async function requireAccount(
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

/**
 * The target cluster of an object whose deletion deletes what it installed there. Throws like `targetCluster`, and
 * TerminalError `ServiceAccountNotFound`.
 */
export async function targetClusterOfDeleted(
  deps: Pick<ApplyingDeps, 'kube' | 'members' | 'settings'>,
  object: Applying,
  signal: AbortSignal,
): Promise<Member> {
  await requireAccount(deps, object, signal);
  return targetCluster(deps, object, signal);
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
