import { helmReleaseResource, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { PassContext } from '../../runtime/controller.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import type { KindWriter } from '../shared/finalizers.js';
import { KeptStatus } from '../shared/write-status.js';
import type { Deps, Pass } from './deps.js';
import { FIELD_MANAGER } from './model/ownership.js';
import type { StatusContext } from './model/status.js';
import type { HelmRelease } from './model/types.js';

/** How HelmReleases are written. */
export function writerOf({ kube }: Pick<Deps, 'kube'>): KindWriter {
  return { kube, type: helmReleaseResource, fieldManager: FIELD_MANAGER };
}

/** The reconciliation of a release as it was read, with its status. */
export function passOver(release: HelmRelease, deps: Deps, context: PassContext): Pass {
  const status = new KeptStatus<HelmReleaseStatus>({ ...writerOf(deps), object: release }, release.status ?? {});
  return { ...deps, ...context, release, status };
}

/** What conditions need of this moment: a reconciliation may take minutes, and each transition has its own time. */
export function momentOf({ now, release: { metadata, spec } }: Pick<Pass, 'now' | 'release'>): StatusContext {
  const testsEnabled = spec.test?.enable === true;
  return {
    generation: metadata.generation ?? 0,
    now: timestamp(now()),
    testsEnabled,
    testsCount: testsEnabled && spec.test?.ignoreFailures !== true,
  };
}
