import type { KubeObject } from '#api/meta.js';

/** What Kubernetes takes where a pod does not say. */
const DEFAULT_GRACE_S = 30;
/** For what follows the end of a process: its node has to report it. */
const MARGIN_S = 60;

export interface Deployment extends KubeObject {
  spec?: {
    selector?: { matchLabels?: Record<string, string> };
    template?: { spec?: { terminationGracePeriodSeconds?: number } };
  };
}

/** How many seconds the pods of a Deployment may take to end: their own grace period and a margin. Pure. */
export function stopLimitSeconds({ spec }: Deployment): number {
  return (spec?.template?.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S) + MARGIN_S;
}

/** The label selector of a Deployment's pods. Pure. */
export function selectorOf({ spec }: Deployment): string {
  const labels = Object.entries(spec?.selector?.matchLabels ?? {});
  return labels.map(([key, value]) => `${key}=${value}`).join(',');
}
