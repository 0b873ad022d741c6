import type { Artifact } from '#api/flux/common.js';
import type { KustomizationSpec, Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject, ObjectMeta } from '#api/meta.js';
import { keyOf } from '#lib/kube/keys.js';
import { kindsFor, SOURCE_RESOURCES } from '#api/flux/source-kinds.js';

/** The kinds that a Kustomization can be built from. */
export const SOURCE_TYPES = kindsFor('files').map((kind) => SOURCE_RESOURCES[kind]);

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

type WithSource = KubeObject & {
  readonly spec: Pick<KustomizationSpec, 'sourceRef'>;
  readonly status?: { readonly lastAppliedRevision?: string };
};

/** Why a dependency on the same source is behind: it has not applied this revision; undefined when it is not. */
export function staleDependency(self: Kustomization, dependency: KubeObject, revision: string): string | undefined {
  const other = dependency as WithSource; // dependencies are of the same kind
  if (sourceOf(other) !== sourceOf(self) || other.status?.lastAppliedRevision === revision) return undefined;
  return `dependency '${keyOf(dependency.metadata)}' revision is not up to date`;
}
