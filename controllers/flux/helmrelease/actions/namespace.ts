import type { Unstructured } from '#api/meta.js';
import type { ActionContext } from './context.js';
import { applyPlain, readLive } from '../../shared/objects.js';

/** Creates the release's namespace if it does not exist. Throws ActionError. */
export async function ensureNamespace(context: ActionContext): Promise<void> {
  const { namespace } = context;
  const object: Unstructured = {
    apiVersion: 'v1',
    kind: 'Namespace',
    // Helm labels namespaces that it creates with their own name.
    metadata: { name: namespace, labels: { name: namespace } },
  };
  if ((await readLive(context, object)) === undefined) await applyPlain(context, [object]);
}
