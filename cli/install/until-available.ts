import type { KubeObject, ObjectRef, Unstructured } from '#api/meta.js';
import { deploymentResource, podResource } from '#api/core.js';
import { objectHealth } from '#engine/health/object-health.js';
import { causeAmong } from '#engine/health/pod-cause.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { keyOf } from '#lib/kube/keys.js';
import { until } from '#runtime/until.js';
import { oneLine } from '#lib/text/text.js';
import { EXIT_INTERRUPTED, EXIT_TIMEOUT, ExitError } from '../command/exit.js';

/** The grace period of Kubernetes for a pod that sets none. */
const DEFAULT_GRACE_S = 30;
/** For what follows the end of a process: its node has to report it. */
const MARGIN_S = 60;

export interface Deployment extends KubeObject {
  spec?: {
    selector?: { matchLabels?: Record<string, string> };
    template?: { spec?: { terminationGracePeriodSeconds?: number } };
  };
}

/** How many seconds the pods of a Deployment may take to end: their own grace period and a margin. */
export function stopLimitSeconds({ spec }: Deployment): number {
  return (spec?.template?.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S) + MARGIN_S;
}

/** The label selector of a Deployment's pods. */
export function selectorOf({ spec }: Deployment): string {
  const labels = Object.entries(spec?.selector?.matchLabels ?? {});
  return labels.map(([key, value]) => `${key}=${value}`).join(',');
}

const POLL_MS = 1_000;

export interface Rollout {
  readonly deployment: ObjectRef;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

async function problemOf(kube: Kube, deployment: Deployment): Promise<string | undefined> {
  const query = { namespace: deployment.metadata.namespace, labelSelector: selectorOf(deployment) };
  const { items } = await listAll<Unstructured>(kube, podResource, query);
  return causeAmong(items);
}

/** Waits until every replica of a Deployment is of its newest version and available. Throws why it is not. */
export async function untilAvailable(kube: Kube, { deployment, timeoutMs, signal, say }: Rollout): Promise<void> {
  const name = keyOf(deployment);
  let said = '';
  const isAvailable = async (): Promise<boolean> => {
    const live = await kube.get<Deployment>(deploymentResource, deployment, { signal });
    if (live === undefined) throw new Error(`Deployment ${name} was deleted`);
    const { status, message } = objectHealth({ ...live });
    if (status === 'Current') return true;
    const problem = await problemOf(kube, live);
    const line = oneLine(problem === undefined ? message : `${message}; ${problem}`);
    if (line !== said) say(`Waiting for Deployment ${name}: ${line}`);
    said = line;
    return false;
  };
  try {
    if ((await until(isAvailable, { timeoutMs, intervalMs: POLL_MS, signal })) === true) return;
  } catch (error: unknown) {
    if (!signal.aborted) throw error;
    const wayOut = 'it is installed, and `fairlead check` says when it is available';
    throw new ExitError(`interrupted while Deployment ${name} was waited for: ${wayOut}`, EXIT_INTERRUPTED);
  }
  const look = `kubectl -n ${deployment.namespace ?? ''} describe pods`;
  const wayOut = `See \`${look}\`; \`fairlead uninstall\` removes what was installed`;
  throw new ExitError(
    `Deployment ${name} is not available after ${timeoutMs / 1_000} s: ${said}. ${wayOut}`,
    EXIT_TIMEOUT,
  );
}
