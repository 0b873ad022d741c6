import type { KustomizationSpec, Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import { keyOf } from '#controllers/runtime/pure/keys.js';
import { sourceOf } from './sources.js';

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
