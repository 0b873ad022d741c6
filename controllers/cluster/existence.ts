import { crdResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import { adaptersFor } from './model/adapters/index.js';
import type { Adapter } from './model/adapters/types.js';
import type { ClusterId } from './model/cluster.js';
import { absence, type Existence } from './model/existence.js';

export interface ExistenceOptions extends RequestOptions {
  /** RFC 3339: the cluster is known to have existed then, e.g. because a child for it was created. */
  readonly knownSince?: string | undefined;
}

type Reader = Pick<Kube, 'get'>;

/** The object that describes a cluster, as it was read. */
export interface Described {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** A cluster by its object, of whatever kind somebody says. */
type Named = Omit<ClusterId, 'kind'> & { readonly kind: string };

function adaptersOf({ apiGroup, kind }: Named): Adapter[] {
  return adaptersFor(undefined).filter((adapter) => adapter.kind.apiGroup === apiGroup && adapter.kind.kind === kind);
}

async function describedBy(
  kube: Reader,
  { types, labelSelector = '' }: Adapter,
  id: Named,
  options: RequestOptions,
): Promise<Described | undefined> {
  const isSelected = parseSelector(labelSelector);
  for (const type of types) {
    const object = await kube.get<KubeObject>(type, id, options);
    if (object !== undefined) return isSelected(object.metadata.labels ?? {}) ? { type, object } : undefined;
  }
  return undefined;
}

/** Undefined: there is none, it lost its label, or no adapter knows its kind. Errors are those of the client. */
export async function readDescription(
  kube: Reader,
  id: Named,
  options: RequestOptions = {},
): Promise<Described | undefined> {
  for (const adapter of adaptersOf(id)) {
    const found = await describedBy(kube, adapter, id, options);
    if (found !== undefined) return found;
  }
  return undefined;
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
  const [first] = adaptersOf(id);
  if (first === undefined)
    return { unknown: `no adapter knows ${id.kind} of the group ${JSON.stringify(id.apiGroup)}` };
  if ((await readDescription(kube, id, { signal })) !== undefined) return 'exists';
  return absenceOf(kube, first, options);
}
