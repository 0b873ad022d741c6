import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { listAll, type Kube, type ListQuery } from '#runtime/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { describeObject } from '#lib/urls.js';

/** Labels that users mean by ours, each as a selector, with what they do not say. */
const NEAR = [`${CLUSTER_LABEL},${CLUSTER_LABEL}!=true`, `${CLUSTER_LABEL}s,!${CLUSTER_LABEL}`];

/** What is wrong with a Secret that is labelled nearly as a cluster is; undefined: nothing. */
export function nearMissText({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  const { labels = {}, namespace, name } = metadata;
  const key = [CLUSTER_LABEL, `${CLUSTER_LABEL}s`].find((each) => labels[each] !== undefined);
  if (key === undefined || (key === CLUSTER_LABEL && labels[key] === 'true')) return undefined;
  const secret = describeObject('Secret', { namespace, name });
  return `${secret} has the label ${key}=${labels[key] ?? ''}, so it is no cluster: only ${CLUSTER_LABEL}=true makes it one.`;
}

/** Secrets of a query that are no clusters because of a misspelled label, as sentences; none if they may not be read. */
export async function nearMisses(kube: Kube, { namespace }: ListQuery): Promise<string[]> {
  try {
    const queries = NEAR.map((labelSelector) => ({ namespace, labelSelector, metadataOnly: true }));
    const lists = await Promise.all(queries.map((query) => listAll<KubeObject>(kube, secretResource, query)));
    return lists.flatMap(({ items }) => items.flatMap((item) => nearMissText(item) ?? []));
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === 403) return [];
    throw error;
  }
}
