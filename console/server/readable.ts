import type { UserInfo } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cache } from '#runtime/controller.js';
import { Refusal } from '../shared/refusal.js';
import type { Access, Allowed } from './access.js';
import type { Namespaces } from './namespaces.js';

/** Index of each cache: objects by their namespace. */
export const BY_NAMESPACE = 'namespace';

/** Objects of one kind, and who may what with them. */
export interface Readable<T extends KubeObject> {
  readonly type: Pick<ResourceType, 'group' | 'plural'>;
  readonly cache: Pick<Cache<T>, 'get' | 'list' | 'byIndex'>;
  readonly access: Access;
}

/** The same, in all namespaces. */
export interface ReadableAll<T extends KubeObject> extends Readable<T> {
  readonly namespaces: Pick<Namespaces, 'names'>;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

type Asked = Pick<Readable<KubeObject>, 'type' | 'access'>;

/** What RBAC calls it. */
export function mayDo({ type, access }: Asked, user: UserInfo, verb: string, place: Partial<Place>): Promise<boolean> {
  return access.allows(user, { group: type.group, resource: type.plural, verb, ...place });
}

/** The same of several objects; that one is denied counts for up to a minute. */
export function mayEach(
  { type, access }: Asked,
  user: UserInfo,
  verb: string,
  places: readonly Place[],
): Promise<readonly boolean[]> {
  return access.each(user, { group: type.group, resource: type.plural, verb }, places);
}

/** Throws a Refusal (403) if he may not list those of a namespace. */
export async function mustList(asked: Asked, user: UserInfo, namespace: string): Promise<void> {
  if (await mayDo(asked, user, 'list', { namespace })) return;
  const who = JSON.stringify(user.username);
  throw new Refusal(403, `user ${who} may not list ${asked.type.plural} in ${namespace}`);
}

/** Where all are that a user may list. Throws a Refusal (422) if there are too many namespaces. */
export function readableNamespaces(
  { type, access, namespaces }: Omit<ReadableAll<KubeObject>, 'cache'>,
  user: UserInfo,
): Promise<Allowed> {
  return access.among(user, { group: type.group, resource: type.plural, verb: 'list' }, namespaces.names);
}

/**
 * The object, if he may read it. Who may not does not learn whether it exists, not even by the time that it takes; who
 * may list the others knows, and is told that he may not.
 */
export async function readableAt<T extends KubeObject>(
  readable: Readable<T>,
  user: UserInfo,
  place: Place,
): Promise<T> {
  const { namespace, name } = place;
  const { plural } = readable.type;
  const missing = new Refusal(404, `${plural} "${name}" not found`);
  if (!(await mayDo(readable, user, 'get', place))) {
    const isKnown = await mayDo(readable, user, 'list', { namespace });
    throw isKnown ? new Refusal(403, `user ${JSON.stringify(user.username)} may not get ${plural} "${name}"`) : missing;
  }
  const object = readable.cache.get(place);
  if (object === undefined) throw missing;
  return object;
}
