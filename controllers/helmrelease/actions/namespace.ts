import type { Unstructured } from '#api/meta.js';
import { applyPlain, readLive } from '#engine/flux/objects.js';
import type { ActionContext } from './context.js';

/** The release's namespace, as it is created. */
export function namespaceOf({ namespace }: Pick<ActionContext, 'namespace'>): Unstructured {
  // Helm labels namespaces that it creates with their own name.
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { name: namespace } } };
}

/** Creates the release's namespace if it does not exist. Throws ActionError. */
export async function ensureNamespace(context: ActionContext): Promise<void> {
  const object = namespaceOf(context);
  if ((await readLive(context, object)) === undefined) await applyPlain(context, [object]);
}
