import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import { isMemberFailure } from '../../engine/apply/member-failure.js';
import type { Member } from '../../engine/member/member.js';
import type { Kube } from '../../runtime/kube.js';
import { TransientError } from '../../runtime/pure/errors.js';

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
    key: member.key,
    kube: guardKube(member),
    resourceType: (apiVersion, kind, options) => explained(member.resourceType(apiVersion, kind, options)),
    servedType: (apiVersion, kind, options) => explained(member.servedType(apiVersion, kind, options)),
    capabilities: (options) => explained(member.capabilities(options)),
    clusterUid: (options) => explained(member.clusterUid(options)),
    expectKind: (apiVersion, kind) => member.expectKind(apiVersion, kind),
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
