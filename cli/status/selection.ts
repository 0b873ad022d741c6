import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { listAll, type Kube, type ListQuery } from '../../controllers/runtime/kube.js';
import { noSuchObject } from '../listing.js';

/** The Applications that a command is about. */
export interface Selection {
  /** Undefined: all that the query finds. */
  readonly name: string | undefined;
  readonly query: ListQuery;
}

/** The selected Applications. Throws when there is none of the wanted name: a misspelt one is not waited for. */
export async function listSelected(kube: Kube, { name, query }: Selection): Promise<readonly Application[]> {
  const { items } = await listAll<Application>(kube, applicationResource, query);
  if (name === undefined || items.length > 0) return items;
  throw noSuchObject(applicationResource.kind, name, query);
}
