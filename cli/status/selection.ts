import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { listAll, type Kube, type ListQuery } from '../../controllers/runtime/kube.js';

/** The Applications that a command is about. */
export interface Selection {
  /** Undefined: all that the query finds. */
  readonly name: string | undefined;
  readonly query: ListQuery;
}

/** Where the Applications of the query are. */
export function placeOf({ namespace }: ListQuery): string {
  return namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
}

/** The selected Applications. Throws when there is none of the wanted name: a misspelt one is not waited for. */
export async function listSelected(kube: Kube, { name, query }: Selection): Promise<readonly Application[]> {
  const { items } = await listAll<Application>(kube, applicationResource, query);
  if (name === undefined || items.length > 0) return items;
  const wayOut = query.namespace === undefined ? '' : '; look in others with -A or -n NAMESPACE';
  throw new Error(`there is no Application ${name} in ${placeOf(query)}${wayOut}`);
}
