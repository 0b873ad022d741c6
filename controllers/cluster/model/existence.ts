import type { KubeObject } from '#api/meta.js';
import { parseTimestamp } from '#lib/kube/conditions.js';
import { fieldAt, listAt } from './fields.js';

/** Whether a cluster is still described by its object; `unknown` says why nobody can tell. */
export type Existence = 'exists' | 'gone' | { readonly unknown: string };

/** What the API server answered about a cluster whose object it does not have, and about the kind of that object. */
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
