import { namespaceResource } from '#api/core.js';
import type { Kube } from '#runtime/client/kube.js';
import { isForbidden } from './clusters.js';

async function isMissing(kube: Kube, name: string): Promise<boolean> {
  try {
    return (await kube.get(namespaceResource, { name })) === undefined;
  } catch (error: unknown) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

/** Those that do not exist, as far as the user may ask: a name that is wrong now may be somebody's namespace later. */
export async function missingNamespaces(kube: Kube, names: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(names.map((name) => isMissing(kube, name)));
  return names.filter((_, index) => answers[index]);
}
