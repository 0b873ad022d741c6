import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { groupKindOf } from '#controllers/engine/apply/model/inventory.js';
import { isIgnored } from './objects.js';

/** True if values of the build may come from Secrets, whose readers may be fewer than those of the status. */
export function hidesValues({ decryption, postBuild }: Pick<KustomizationSpec, 'decryption' | 'postBuild'>): boolean {
  const sources = postBuild?.substituteFrom ?? [];
  return decryption !== undefined || sources.some(({ kind }) => kind === 'Secret');
}

/** What the same build creates first. */
export interface CreatedFirst {
  /** `group/Kind` of kinds that the cluster does not serve yet. */
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** Why the cluster cannot be asked about an object yet; undefined if it can, or need not. */
export function whyUnasked(object: Unstructured, { kinds, namespaces }: CreatedFirst): string | undefined {
  if (isIgnored(object)) return undefined;
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
