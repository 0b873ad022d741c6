import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { Refusal } from './model/refusal.js';
import type { Place } from './visible.js';

/**
 * The Application as it is now, read by the user: the cache may not know it yet, e.g. a finalizer that a replacement
 * would remove. Throws a Refusal (404) if there is none.
 */
export async function fresh(kube: Kube, place: Place): Promise<Application> {
  const found = await kube.get<Application>(applicationResource, place);
  if (found === undefined) throw new Refusal(404, `applications "${place.name}" not found`);
  return found;
}

/** The same of the one that was seen. Throws a Refusal (409) if another one has its name; `uid` undefined: any will do. */
export async function freshSeen(kube: Kube, place: Place, uid: string | undefined): Promise<Application> {
  const found = await fresh(kube, place);
  if (uid === undefined || uid === found.metadata.uid) return found;
  throw new Refusal(409, `applications ${JSON.stringify(place.name)} is another one by now: look at it first`);
}
