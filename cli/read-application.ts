import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { notInstalled } from './listing.js';

/** Throws if there is none, and says where others are. */
export async function readApplication(kube: Kube, name: string, namespace: string): Promise<Application> {
  const found = await kube.get<Application>(applicationResource, { name, namespace });
  if (found !== undefined) return found;
  try {
    await kube.list(applicationResource, { namespace, limit: 1 });
  } catch (error: unknown) {
    if (isNotFound(error)) throw notInstalled(kube, error);
    if (apiStatusOf(error)?.code !== 403) throw error;
  }
  throw new Error(`there is no Application ${name} in namespace ${namespace}: \`fairlead status -A\` shows all`);
}
