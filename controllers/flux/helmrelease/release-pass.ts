import { helmReleaseResource, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import type { KindWriter } from '../shared/finalizers.js';
import { requireFreshRead } from '../shared/fresh.js';
import { KeptStatus } from '../shared/kept-status.js';
import { FIELD_MANAGER, type ActionContext } from './actions/context.js';
import type { Deps } from './deps.js';
import type { StatusContext } from './model/status.js';
import type { HelmRelease } from './model/types.js';
import type { Inputs } from './observe.js';

/** A pass over one release, whose cluster, chart and values are known. */
export interface ReleasePass {
  readonly deps: Deps;
  readonly release: HelmRelease;
  readonly context: ActionContext;
  readonly inputs: Inputs;
  readonly statusContext: StatusContext;
  readonly status: KeptStatus<HelmReleaseStatus>;
}

/** How HelmReleases are written. */
export function writerOf({ kube }: Pick<Deps, 'kube'>): KindWriter {
  return { kube, type: helmReleaseResource, fieldManager: FIELD_MANAGER };
}

/** The status of a release, as it was read. */
export function keptStatus(deps: Pick<Deps, 'kube'>, release: HelmRelease): KeptStatus<HelmReleaseStatus> {
  return new KeptStatus({ ...writerOf(deps), object: release }, release.status ?? {});
}

/** What conditions need of a pass that begins now. */
export function statusContextOf(deps: Pick<Deps, 'now'>, { metadata, spec }: HelmRelease): StatusContext {
  const testsEnabled = spec.test?.enable === true;
  return {
    generation: metadata.generation ?? 0,
    // Read anew for each condition: a pass may take minutes, and a transition has its own time.
    get now() {
      return timestamp(deps.now());
    },
    testsEnabled,
    testsCount: testsEnabled && spec.test?.ignoreFailures !== true,
  };
}

/** Before the first action of a pass. Throws StaleReadError. */
export function requireFresh(
  { deps, release, status }: Pick<ReleasePass, 'deps' | 'release' | 'status'>,
  signal: AbortSignal,
): Promise<void> {
  return requireFreshRead({ kube: deps.kube, type: helmReleaseResource, object: release, status }, signal);
}
