import { desiredTarget } from './target.js';
import type { HelmRelease } from './types.js';

/** True when a first install fails because the target namespace is missing. */
export function lacksNamespace(release: HelmRelease, problem: string): boolean {
  const isInstalled = (release.status?.history ?? []).length > 0;
  return !isInstalled && problem.includes(`namespaces "${desiredTarget(release).namespace}" not found`);
}

/** What is wrong with a first install, with the way out where it is that the target namespace is missing. */
export function withNamespaceHint(release: HelmRelease, problem: string): string {
  const { spec } = release;
  if (!lacksNamespace(release, problem)) return problem;
  if (spec.targetNamespace === undefined) {
    return `${problem}: create it, or set spec.targetNamespace and spec.install.createNamespace: true`;
  }
  if (spec.install?.createNamespace === true) return problem;
  return `${problem}: create it, or set spec.install.createNamespace: true`;
}
