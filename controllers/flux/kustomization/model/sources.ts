import type { Artifact } from '#api/flux/common.js';
import { bucketResource } from '#api/flux/bucket.js';
import { externalArtifactResource } from '#api/flux/external-artifact.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { KubeObject, ObjectMeta, ResourceType } from '#api/meta.js';
import { keyOf } from '#controllers/runtime/pure/keys.js';

/** The kinds that a Kustomization can be built from. */
export const SOURCE_TYPES: readonly ResourceType[] = [
  gitRepositoryResource,
  ociRepositoryResource,
  bucketResource,
  externalArtifactResource,
];

/** What matters of a source. */
export type Source = KubeObject & { readonly status?: { readonly artifact?: Artifact } };

/** The source of a Kustomization, as Flux writes it: `Kind/namespace/name`. */
export function sourceOf({
  metadata,
  spec,
}: {
  readonly metadata: ObjectMeta;
  readonly spec: Pick<KustomizationSpec, 'sourceRef'>;
}): string {
  const { kind, name, namespace = metadata.namespace } = spec.sourceRef;
  return `${kind}/${keyOf({ name, namespace })}`;
}
