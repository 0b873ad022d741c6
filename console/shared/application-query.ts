import type { Application } from '#api/v1alpha1/application.js';
import { viewOf } from '#queries/views/application-view.js';
import type { ApplicationView } from '#queries/answers/application.js';
import type { QueryString } from './list-query.js';
import { compareBy, pageQueryOf, sortedBy as sortedByKey, type Listing, type PageQuery } from './page-query.js';

/** Which Applications of a list are wanted, and which page of them. */
export type ApplicationQuery = PageQuery<Application>;

const views = new WeakMap<Application, ApplicationView>();

/** The view of an Application, derived once: what is cached does not change. */
export function cachedView(application: Application): ApplicationView {
  const view = views.get(application) ?? viewOf(application);
  views.set(application, view);
  return view;
}

const LISTING: Listing<Application> = {
  fields: {
    'metadata.name': ({ metadata }) => [metadata.name],
    'metadata.namespace': ({ metadata }) => [metadata.namespace ?? ''],
    kind: (application) => [cachedView(application).kind],
    state: (application) => [cachedView(application).state],
    reason: (application) => [cachedView(application).reason],
    cluster: (application) => cachedView(application).destinations.map(({ cluster }) => cluster),
  },
  sorts: {
    name: ({ metadata }) => metadata.name,
    namespace: ({ metadata }) => metadata.namespace ?? '',
    state: (application) => cachedView(application).state,
    createdAt: ({ metadata }) => metadata.creationTimestamp ?? '',
  },
  labels: ({ metadata }) => metadata.labels ?? {},
  texts: ({ metadata }) => [metadata.name],
};

/** Throws a Refusal (400) that names the key which nobody can read, or which does not exist. */
export function applicationQueryOf(query: QueryString): ApplicationQuery {
  return pageQueryOf(query, LISTING);
}

/** A new list, ascending: by the key of a query, then by name and namespace. */
export function sortedBy(applications: readonly Application[], sort: string): Application[] {
  return sortedByKey(applications, sort, LISTING);
}

/** The order of such a list. No two Applications are equal in it. */
export function orderOf(sort: string): (left: Application, right: Application) => number {
  return compareBy(sort, LISTING);
}
