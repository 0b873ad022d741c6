import { keyOf } from '../../../runtime/pure/keys.js';
import type { HelmRelease } from './types.js';

/** Keys of `spec.dependsOn`, in order; the namespace defaults to the release's own. */
export function dependencyKeys(release: HelmRelease): string[] {
  return (release.spec.dependsOn ?? []).map(({ name, namespace }) =>
    keyOf({ name, namespace: namespace ?? release.metadata.namespace }),
  );
}

/** Why a dependency is not ready; undefined when it is. */
export function dependencyProblem(key: string, dependency: HelmRelease | undefined): string | undefined {
  if (dependency === undefined) return `dependency '${key}' not found: create it, or remove it from spec.dependsOn`;
  const ready = dependency.status?.conditions?.find(({ type }) => type === 'Ready');
  const observed = dependency.status?.observedGeneration === dependency.metadata.generation;
  return observed && ready?.status === 'True' ? undefined : `dependency '${key}' is not ready`;
}
