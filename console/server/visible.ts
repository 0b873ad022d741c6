import type { UserInfo } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Cache } from '#controllers/runtime/controller.js';
import type { Access, Allowed } from './access.js';
import { Refusal } from './model/refusal.js';
import type { Namespaces } from './namespaces.js';

/** Index of the cache: Applications by their namespace. */
export const BY_NAMESPACE = 'namespace';

/** Where users read Applications, and what they may. */
export interface Reading {
  readonly applications: Pick<Cache<Application>, 'get' | 'list' | 'byIndex'>;
  readonly access: Access;
}

/** The same, in all namespaces. */
export interface ReadingAll extends Reading {
  readonly namespaces: Pick<Namespaces, 'names'>;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** What RBAC calls it. */
export function isAllowed(
  { access }: Pick<Reading, 'access'>,
  user: UserInfo,
  verb: string,
  place: Partial<Place>,
): Promise<boolean> {
  const { group, plural } = applicationResource;
  return access.allows(user, { group, resource: plural, verb, ...place });
}

/** Throws a Refusal (403) if he may not list those of a namespace. */
export async function mayListIn(reading: Pick<Reading, 'access'>, user: UserInfo, namespace: string): Promise<void> {
  if (await isAllowed(reading, user, 'list', { namespace })) return;
  throw new Refusal(403, `user ${JSON.stringify(user.username)} may not list applications in ${namespace}`);
}

/** Those of a namespace. Throws a Refusal (403) if he may not list them. */
export async function visibleIn(reading: Reading, user: UserInfo, namespace: string): Promise<Application[]> {
  await mayListIn(reading, user, namespace);
  return reading.applications.byIndex(BY_NAMESPACE, namespace);
}

/** Where all Applications are that a user may list. Throws a Refusal (422) if there are too many namespaces. */
export function visibleNamespaces({ access, namespaces }: ReadingAll, user: UserInfo): Promise<Allowed> {
  const { group, plural } = applicationResource;
  return access.among(user, { group, resource: plural, verb: 'list' }, namespaces.names);
}

/**
 * The Application, if he may read it. Who may not does not learn whether it exists, not even by the time that it takes;
 * who may list the others knows, and is told that he may not.
 */
export async function visible(reading: Reading, user: UserInfo, place: Place): Promise<Application> {
  const { namespace, name } = place;
  const missing = new Refusal(404, `applications "${name}" not found`);
  if (!(await isAllowed(reading, user, 'get', place))) {
    const isKnown = await isAllowed(reading, user, 'list', { namespace });
    throw isKnown
      ? new Refusal(403, `user ${JSON.stringify(user.username)} may not get applications "${name}"`)
      : missing;
  }
  const application = reading.applications.get(place);
  if (application === undefined) throw missing;
  return application;
}
