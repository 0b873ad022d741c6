import type { KubeObject, ResourceType } from '#api/meta.js';
import { parseTimestamp } from '#lib/kube/conditions.js';
import { fieldAt, listAt } from './model/fields.js';
import { crdResource } from '#api/core.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import { adaptersFor } from './model/adapters/index.js';
import type { ClusterId, Adapter } from './model/cluster.js';

/** Whether a cluster is still described by its object; `unknown` says why nobody can tell. */
export type Existence = 'exists' | 'gone' | { readonly unknown: string };

/** The API server's answer about a cluster whose object it does not have, and about the kind of that object. */
export interface Absence {
  /** Plural and group of the kind. */
  readonly type: string;
  /** Versions that the inventory reads. */
  readonly versions: readonly string[];
  /** Asked for after the object. */
  readonly crd: KubeObject | undefined;
  /** RFC 3339: the cluster is known to have existed then. */
  readonly knownSince: string | undefined;
}

/**
 * Whether an object that is not there is gone because somebody deleted it. With a CustomResourceDefinition all its
 * objects go, one after the other, while it is still served: that is no word about any of them.
 */
export function absence({ type, versions, crd, knownSince }: Absence): Existence {
  if (crd === undefined) return { unknown: `the API server has no CustomResourceDefinition ${type}` };
  if (crd.metadata.deletionTimestamp !== undefined) {
    return { unknown: `CustomResourceDefinition ${type} is being deleted, and all its objects with it` };
  }
  const served = listAt(crd, 'spec', 'versions').filter((version) => fieldAt(version, 'served') === true);
  if (!served.some((version) => versions.includes(String(fieldAt(version, 'name'))))) {
    return { unknown: `CustomResourceDefinition ${type} serves none of the versions ${versions.join(', ')}` };
  }
  const [createdMs, knownMs] = [crd.metadata.creationTimestamp, knownSince].map((time) => parseTimestamp(time ?? ''));
  if (createdMs !== undefined && knownMs !== undefined && createdMs > knownMs) {
    return { unknown: `CustomResourceDefinition ${type} was created again, without the objects that it had` };
  }
  return 'gone';
}

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
