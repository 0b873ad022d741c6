import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { groupKindOf } from '../../member/model/inventory.js';

const CRD = 'apiextensions.k8s.io/CustomResourceDefinition';

export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export function isCrd(object: Unstructured): boolean {
  return groupKindOf(object) === CRD;
}

/** The kinds that a CRD has served, one for each version; none for a malformed one, which the server refuses. */
export function servedKinds(crd: Unstructured): ServedKind[] {
  const spec = isMap(crd['spec']) ? crd['spec'] : {};
  const [names, versions] = [isMap(spec['names']) ? spec['names'] : {}, spec['versions']];
  const [group, kind] = [spec['group'], names['kind']];
  if (typeof group !== 'string' || typeof kind !== 'string' || !Array.isArray(versions)) return [];
  return versions.flatMap((version: unknown) =>
    isMap(version) && typeof version['name'] === 'string' && version['served'] !== false
      ? [{ apiVersion: `${group}/${version['name']}`, kind }]
      : [],
  );
}

/** `group/Kind` of what the CRDs among these objects define. */
export function definedKinds(objects: readonly Unstructured[]): Set<string> {
  return new Set(objects.filter(isCrd).flatMap(servedKinds).map(groupKindOf));
}
