import pLimit from 'p-limit';
import type { UserInfo } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Cache } from '#controllers/runtime/controller.js';
import type { Access } from './access.js';
import { Refusal } from './model/refusal.js';

/** Index of the cache: Applications by their namespace. */
export const BY_NAMESPACE = 'namespace';

/** Where users read Applications, and what they may. */
export interface Reading {
  readonly applications: Pick<Cache<Application>, 'get' | 'list' | 'byIndex'>;
  readonly access: Access;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Namespaces about which one request may ask the API server, and how many questions run at a time. */
const MOST_NAMESPACES = 1_000;
const QUESTIONS = 16;

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

/** Those of a namespace. Throws a Refusal (403) if he may not list them. */
export async function visibleIn(reading: Reading, user: UserInfo, namespace: string): Promise<Application[]> {
  if (await isAllowed(reading, user, 'list', { namespace })) {
    return reading.applications.byIndex(BY_NAMESPACE, namespace);
  }
  throw new Refusal(403, `user ${JSON.stringify(user.username)} may not list applications in ${namespace}`);
}

/**
 * The namespaces whose Applications he may list; undefined: all. Each namespace is one question to the API server, so
 * that there may not be any number of them. Throws a Refusal (422) if there are too many.
 */
export async function visibleNamespaces(reading: Reading, user: UserInfo): Promise<ReadonlySet<string> | undefined> {
  if (await isAllowed(reading, user, 'list', {})) return undefined;
  const namespaces = new Set(reading.applications.list().map(({ metadata }) => metadata.namespace ?? ''));
  if (namespaces.size > MOST_NAMESPACES) {
    throw new Refusal(422, 'there are too many namespaces: ask for one, /api/v1/namespaces/NAMESPACE/...');
  }
  const limit = pLimit(QUESTIONS);
  const allowed = new Set<string>();
  const ask = async (namespace: string): Promise<void> => {
    if (await isAllowed(reading, user, 'list', { namespace })) allowed.add(namespace);
  };
  await Promise.all([...namespaces].map((namespace) => limit(ask, namespace)));
  return allowed;
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
