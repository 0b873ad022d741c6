import type { UserInfo } from '#api/core.js';
import { applicationResource as type, type Application } from '#api/v1alpha1/application.js';
import type { Cache } from '#runtime/controller.js';
import type { Access, Allowed } from './access.js';
import type { Namespaces } from './namespaces.js';
import { BY_NAMESPACE, mustList, readableAt, readableNamespaces, type Place } from './readable.js';

export type { Place };

/** Where users read Applications, and what they may. */
export interface Reading {
  readonly applications: Pick<Cache<Application>, 'get' | 'list' | 'byIndex'>;
  readonly access: Access;
}

/** The same, in all namespaces. */
export interface ReadingAll extends Reading {
  readonly namespaces: Pick<Namespaces, 'names'>;
}

/** Throws a Refusal (403) if he may not list those of a namespace. */
export function mayListIn({ access }: Pick<Reading, 'access'>, user: UserInfo, namespace: string): Promise<void> {
  return mustList({ type, access }, user, namespace);
}

/** Those of a namespace. Throws a Refusal (403) if he may not list them. */
export async function visibleIn(reading: Reading, user: UserInfo, namespace: string): Promise<Application[]> {
  await mayListIn(reading, user, namespace);
  return reading.applications.byIndex(BY_NAMESPACE, namespace);
}

/** Where all Applications are that a user may list. Throws a Refusal (422) if there are too many namespaces. */
export function visibleNamespaces({ access, namespaces }: ReadingAll, user: UserInfo): Promise<Allowed> {
  return readableNamespaces({ type, access, namespaces }, user);
}

/** The Application, if he may read it; who may not learns nothing of it. */
export function visible({ applications: cache, access }: Reading, user: UserInfo, place: Place): Promise<Application> {
  return readableAt({ type, cache, access }, user, place);
}
