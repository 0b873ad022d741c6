import { podResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { CancelledError } from '#lib/errors.js';
import { causeAmong, podsOf, refusalOfPods } from './pod-cause.js';

/** One request for each: the first ones are enough. */
const MOST_WORKLOADS = 3;
const MOST_PODS = 10;
/** The wait is over already. */
const LIMIT_MS = 5_000;

function undefinedUnlessCancelled(error: unknown): undefined {
  if (error instanceof CancelledError) throw error;
}

export interface WorkloadInTrouble {
  /** As read from the cluster. */
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
 * Why the pods of workloads are not ready, in the order of the workloads. Undefined for all but the first ones, for
 * objects without pods, and if the pods cannot be read: permission to apply a Deployment does not include listing pods.
 * Throws CancelledError.
 */
export async function causesOf(
  kube: Kube,
  workloads: readonly WorkloadInTrouble[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  const causes = new Map<WorkloadInTrouble, string | undefined>();
  const withPods = workloads.filter(({ workload }) => (refusalOfPods(workload) ?? podsOf(workload)) !== undefined);
  // One at a time: pods may be large.
  for (const each of withPods.slice(0, MOST_WORKLOADS)) {
    causes.set(each, await causeOf(kube, each, signal).catch(undefinedUnlessCancelled));
  }
  return workloads.map((each) => causes.get(each));
}
