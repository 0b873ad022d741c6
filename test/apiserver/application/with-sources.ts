import { madeSourceControllers } from '#controllers/application/made-sources.js';
import type { Rules } from '#controllers/application/model/child/types.js';
import { applicationController } from '#controllers/application/setup.js';
import type { Kube } from '#runtime/client/kube.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';

/** Runs what expands Applications, and what makes and deletes their sources. */
export function runApplications(kube: Kube, namespace: string, more: Partial<Rules> = {}): RunningControllers {
  const rules = { allowCrossNamespace: true, ...more };
  return runControllers({ kube, namespace }, [
    (context) => applicationController(context, { ...rules, controllerNamespace: 'fairlead' }),
    (context) => madeSourceControllers(context, rules),
  ]);
}
