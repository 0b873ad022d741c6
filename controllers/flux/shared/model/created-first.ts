import type { Unstructured } from '#api/meta.js';
import { groupKindOf } from '#controllers/engine/apply/model/inventory.js';

/** What is created before an object. */
export interface CreatedFirst {
  /** `group/Kind` of kinds that the cluster does not serve yet. */
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** Why the cluster cannot be asked about an object yet; undefined if it can. */
export function whyUnasked(object: Unstructured, { kinds, namespaces }: CreatedFirst): string | undefined {
  if (kinds.has(groupKindOf(object))) return 'not checked: its CRD is created first';
  const { namespace } = object.metadata;
  return namespace !== undefined && namespaces.has(namespace)
    ? 'not checked: its namespace is created first'
    : undefined;
}

const TAKES_ALONG: ReadonlyMap<string, string> = new Map([
  ['/Namespace', 'with everything in it'],
  ['apiextensions.k8s.io/CustomResourceDefinition', 'with all objects of its kind'],
]);

/** What goes with an object that is deleted. */
export function takesAlong(object: Pick<Unstructured, 'apiVersion' | 'kind'>): string | undefined {
  return TAKES_ALONG.get(groupKindOf(object));
}
