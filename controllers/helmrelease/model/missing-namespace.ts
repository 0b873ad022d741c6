import { apiStatusOf } from '#lib/errors.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import type { HelmRelease } from './types.js';

/** The namespace that does not exist, where an API server says so; undefined for any other error. */
export function missingNamespace(error: unknown): string | undefined {
  const { code, subject } = apiStatusOf(error) ?? {};
  return code === 404 && subject?.resource === 'namespaces' ? subject.name : undefined;
}

/** True when a first install fails because its target namespace, which is `missing`, does not exist. */
export function lacksNamespace(release: HelmRelease, missing: string | undefined): boolean {
  const isInstalled = (release.status?.history ?? []).length > 0;
  return !isInstalled && missing === desiredTarget(release).namespace;
}

/** The problem of a first install, with the way out when its target namespace is `missing`. */
export function withNamespaceHint(release: HelmRelease, problem: string, missing: string | undefined): string {
  const { spec } = release;
  if (!lacksNamespace(release, missing)) return problem;
  if (spec.targetNamespace === undefined) {
    return `${problem}: create it, or set spec.targetNamespace and spec.install.createNamespace: true`;
  }
  if (spec.install?.createNamespace === true) return problem;
  return `${problem}: create it, or set spec.install.createNamespace: true`;
}
