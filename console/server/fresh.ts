import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { type Kube, type RequestOptions, retryConflicts } from '#runtime/client/kube.js';
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

function isSameSpec(a: Application | undefined, b: Application | undefined): boolean {
  return a?.metadata.uid === b?.metadata.uid && a?.metadata.generation === b?.metadata.generation;
}

/**
 * Reads an Application and writes what was sent over it. Without a `resourceVersion`, that is repeated if a controller
 * wrote in between: labels and annotations are merged with the newest ones. Throws a Refusal (409) if the spec, or the
 * object of that name, is another one then: somebody else's edit would be lost.
 */
export function inPlace<Live extends Application | undefined, Result>(
  { metadata }: SentApplication,
  read: () => Promise<Live>,
  write: (live: Live) => Promise<Result>,
): Promise<Result> {
  let first: { readonly live: Live } | undefined;
  const readAndWrite = async (): Promise<Result> => {
    const live = await read();
    first ??= { live };
    if (isSameSpec(first.live, live)) return write(live);
    throw new Refusal(409, `applications ${JSON.stringify(metadata.name)} was changed meanwhile: look at it first`);
  };
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
