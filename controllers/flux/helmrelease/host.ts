import type { Cache, SetupContext } from '../../runtime/controller.js';
import type { Members } from '../../engine/member/member.js';
import type { ManagedWatches } from '../../engine/watch/managed-watches.js';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import type { KeptChart } from './chart-archive.js';
import type { ChartCrds } from './chart-crds.js';
import type { Lru } from '../../runtime/pure/lru.js';
import type { HelmChart, HelmRelease } from './model/types.js';
import type { PostRender } from './post-render.js';
import type { Render } from './render.js';

export interface HelmReleaseSettings {
  readonly allowCrossNamespace: boolean;
  /** ServiceAccount in whose name releases are made that name none. */
  readonly defaultServiceAccount?: string | undefined;
  readonly dependencyRequeueMs: number;
}

/** What every pass uses of its surroundings. */
export interface Host extends Pick<SetupContext, 'kube' | 'events' | 'now' | 'offload'> {
  readonly releases: Cache<HelmRelease>;
  readonly charts: Cache<HelmChart>;
  readonly members: Members;
  /** Absent: drift is noticed at the interval only. */
  readonly managed?: ManagedWatches | undefined;
  readonly store: ArtifactStore;
  readonly chartCrds: ChartCrds;
  readonly render: Render;
  readonly postRender: PostRender;
  /** Unpacked charts by artifact digest. */
  readonly chartArchives: Lru<KeptChart>;
  readonly settings: HelmReleaseSettings;
}
