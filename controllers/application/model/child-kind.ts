import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { kustomizationResource } from '../../../api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '../../../api/meta.js';

/** The kinds of child that an Application has: one per entry. */
export type ChildKind = 'HelmRelease' | 'Kustomization';

/** How the API server knows each kind of child. */
export const CHILD_RESOURCES: Readonly<Record<ChildKind, ResourceType>> = {
  HelmRelease: helmReleaseResource,
  Kustomization: kustomizationResource,
};

/** The kind of a child as read; everything that is no Kustomization is a HelmRelease. */
export function kindOfChild({ kind }: KubeObject): ChildKind {
  return kind === 'Kustomization' ? 'Kustomization' : 'HelmRelease';
}

/** `group/version` of a kind of child. */
export function apiVersionOf(kind: ChildKind): string {
  const { group, version } = CHILD_RESOURCES[kind];
  return `${group}/${version}`;
}

/** The resource of a child, for requests about it. */
export function resourceOf(child: KubeObject): ResourceType {
  return CHILD_RESOURCES[kindOfChild(child)];
}
