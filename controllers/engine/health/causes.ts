import { podResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import type { Kube } from '../../runtime/kube.js';
import { causeAmong, podsOf, refusalOfPods } from './pod-cause.js';

/** One request for each: the first ones say enough. */
const MOST_WORKLOADS = 3;
const MOST_PODS = 20;
/** The wait is over already. */
const LIMIT_MS = 5_000;

export interface WorkloadInTrouble {
  /** As it lives. */
  readonly workload: Unstructured;
  readonly namespace: string | undefined;
}

async function causeOf(
  kube: Kube,
  { workload, namespace }: WorkloadInTrouble,
  signal: AbortSignal,
): Promise<string | undefined> {
  const refusal = refusalOfPods(workload);
  if (refusal !== undefined) return refusal;
  const query = podsOf(workload);
  if (query === undefined || namespace === undefined) return undefined;
  const { items } = await kube.list<Unstructured>(podResource, {
    ...query,
    namespace,
    limit: MOST_PODS,
    signal,
    timeoutMs: LIMIT_MS,
  });
  return causeAmong(items);
}

/**
 * Why the pods of workloads do not get ready, in their order. Undefined for those beyond the first ones, for objects
 * without pods, and where the pods cannot be read: not everybody who may apply a Deployment may list pods.
 */
export async function causesOf(
  kube: Kube,
  workloads: readonly WorkloadInTrouble[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  const asked = workloads.slice(0, MOST_WORKLOADS);
  return Promise.all(asked.map((each) => causeOf(kube, each, signal).catch(() => undefined)));
}
