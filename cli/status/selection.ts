import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { listAll, type Kube, type ListQuery } from '#runtime/client/kube.js';
import { isNotFound } from '#lib/errors.js';
import { withKube } from '../connection.js';
import { namespaceQuery, noSuchObject, notInstalled, type ListingOptions } from '../listing.js';

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

/** Runs a command about the Application of that name, or all, in the namespaces that its flags say. */
export async function withSelection(
  name: string | undefined,
  options: ListingOptions,
  use: (kube: Kube, selection: Selection) => Promise<void>,
): Promise<void> {
  await withKube(options, async (kube) => {
    try {
      const selected = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
      await use(kube, { name, query: { ...selected, ...(await namespaceQuery(options)) } });
    } catch (error: unknown) {
      if (!isNotFound(error)) throw error;
      throw notInstalled(kube, error);
    }
  });
}
