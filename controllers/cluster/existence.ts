import { crdResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube, RequestOptions } from '../runtime/kube.js';
import { parseSelector } from '../runtime/pure/label-selector.js';
import { adaptersFor } from './model/adapters/index.js';
import type { Adapter } from './model/adapters/types.js';
import type { ClusterId } from './model/cluster.js';
import { absence, type Existence } from './model/existence.js';

export interface ExistenceOptions extends RequestOptions {
  /** RFC 3339: the cluster is known to have existed then, e.g. because a child for it was created. */
  readonly knownSince?: string | undefined;
}

type Reader = Pick<Kube, 'get'>;

async function isDescribed(kube: Reader, adapter: Adapter, id: ClusterId, options: RequestOptions): Promise<boolean> {
  const isSelected = parseSelector(adapter.labelSelector ?? '');
  for (const type of adapter.types) {
    const object = await kube.get<KubeObject>(type, id, options);
    if (object !== undefined) return isSelected(object.metadata.labels ?? {});
  }
  return false;
}

async function absenceOf(kube: Reader, { types }: Adapter, options: ExistenceOptions): Promise<Existence> {
  const [{ plural, group } = { plural: '', group: '' }] = types;
  // Secrets are always served.
  if (group === '') return 'gone';
  const { knownSince, signal } = options;
  const type = `${plural}.${group}`;
  const crd = await kube.get<KubeObject>(crdResource, { name: type }, { signal });
  return absence({ type, versions: types.map(({ version }) => version), crd, knownSince });
}

/**
 * Asks the API server whether a cluster that the inventory lacks is gone: to be done before anything is removed because
 * of it. Caches cannot tell a deleted cluster from one that goes with its CustomResourceDefinition.
 */
export async function existenceOf(kube: Reader, id: ClusterId, options: ExistenceOptions = {}): Promise<Existence> {
  const { signal } = options;
  const adapters = adaptersFor(undefined).filter(({ kind }) => kind.apiGroup === id.apiGroup && kind.kind === id.kind);
  const [first] = adapters;
  if (first === undefined)
    return { unknown: `no adapter knows ${id.kind} of the group ${JSON.stringify(id.apiGroup)}` };
  for (const adapter of adapters) if (await isDescribed(kube, adapter, id, { signal })) return 'exists';
  return absenceOf(kube, first, options);
}
