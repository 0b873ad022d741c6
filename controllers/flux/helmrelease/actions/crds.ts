import type { Unstructured } from '../../../../api/meta.js';
import { waitForHealthy } from '../../../engine/health/wait.js';
import type { ActionContext } from './context.js';
import { ActionError, applyPlain, readLive } from './objects.js';

export type CrdPolicy = 'Skip' | 'Create' | 'CreateReplace';

const TIMEOUT_MS = 60_000;

/**
 * Brings the chart's crds/ to the cluster before anything that needs them: only missing ones, or all of them. None is
 * ever deleted. Other kinds in crds/ are left out. Throws ActionError.
 */
export async function applyCrds(
  context: ActionContext,
  crds: readonly Unstructured[],
  policy: CrdPolicy,
): Promise<void> {
  const wanted: Unstructured[] = [];
  if (policy === 'Skip') return;
  for (const crd of crds) {
    if (crd.kind !== 'CustomResourceDefinition') continue;
    if (policy === 'CreateReplace' || (await readLive(context, crd)) === undefined) wanted.push(crd);
  }
  if (wanted.length === 0) return;
  await applyPlain(context, wanted);
  const { member, namespace, signal } = context;
  const open = await waitForHealthy({
    member,
    objects: wanted,
    defaultNamespace: namespace,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (open.length > 0) throw new ActionError(`timeout waiting for: [${open.join(', ')}]`);
}
