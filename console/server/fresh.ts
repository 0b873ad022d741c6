import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { retryConflicts } from '#runtime/client/retry-conflicts.js';
import { Refusal } from '../shared/refusal.js';
import type { SentApplication } from '../shared/sent-application.js';
import type { Place } from './visible.js';

/**
 * The Application as it is now, read by the user: the cache may not know it yet, e.g. a finalizer that a replacement
 * would remove. Throws a Refusal (404) if there is none.
 */
export async function fresh(kube: Kube, place: Place, options: RequestOptions = {}): Promise<Application> {
  const found = await kube.get<Application>(applicationResource, place, options);
  if (found === undefined) throw new Refusal(404, `applications "${place.name}" not found`);
  return found;
}

/**
 * Reads and writes for what was sent without a `resourceVersion`, which replaces what is live, also if a controller
 * writes in between: then again. One that was sent must still be the newest.
 */
export function inPlace<T>({ metadata }: SentApplication, readAndWrite: () => Promise<T>): Promise<T> {
  return (metadata.resourceVersion ?? '') === '' ? retryConflicts(readAndWrite) : readAndWrite();
}

interface Seen extends Pick<RequestOptions, 'signal'> {
  /** Undefined: any will do. */
  readonly uid: string | undefined;
}

/** The same of the one that was seen. Throws a Refusal (409) if another one has its name. */
export async function freshSeen(kube: Kube, place: Place, { uid, signal }: Seen): Promise<Application> {
  const found = await fresh(kube, place, { signal });
  if (uid === undefined || uid === found.metadata.uid) return found;
  throw new Refusal(409, `applications ${JSON.stringify(place.name)} is another one by now: look at it first`);
}
