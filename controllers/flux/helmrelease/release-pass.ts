import { helmReleaseResource, type HelmReleaseStatus } from '#api/flux/helm-release.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import { ConflictError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { KindWriter } from '../shared/finalizers.js';
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

/** The pass looked at something old, and noticed before it did anything. */
export class StaleReadError extends ConflictError {}

/**
 * A cache that is behind may not know the revision that we made last: acting on it would make one too many. Read once
 * more before the first action of a pass; an idle pass never gets here.
 */
export async function requireFresh(
  { deps, release, status }: Pick<ReleasePass, 'deps' | 'release' | 'status'>,
  signal: AbortSignal,
): Promise<void> {
  const live = await deps.kube.get<HelmRelease>(helmReleaseResource, release.metadata, { signal });
  if (live !== undefined && (await status.isOwn(live.metadata.resourceVersion))) return;
  throw new StaleReadError(`HelmRelease ${keyOf(release.metadata)} changed since it was cached`);
}
