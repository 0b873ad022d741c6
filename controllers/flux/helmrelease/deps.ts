import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Cache, PassContext } from '../../runtime/controller.js';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import type { ApplyingDeps } from '../shared/deps.js';
import type { KeptStatus } from '../shared/write-status.js';
import type { KeptChart } from './chart-archive.js';
import type { ChartCrds } from './chart-crds.js';
import type { Lru } from '../../runtime/pure/lru.js';
import type { ChartSource, FetchChart, HelmChart, HelmRelease } from './model/types.js';
import type { PostRender } from './post-render.js';
import type { Render } from './render.js';

/** What every reconciliation of a HelmRelease works with. */
export interface Deps extends ApplyingDeps {
  readonly releases: Cache<HelmRelease>;
  readonly charts: Cache<HelmChart>;
  /** Everything that a chartRef may name, by kind. */
  readonly chartSources: ReadonlyMap<string, Cache<ChartSource>>;
  readonly store: ArtifactStore;
  readonly fetchChart: FetchChart;
  readonly chartCrds: ChartCrds;
  readonly render: Render;
  readonly postRender: PostRender;
  /** Unpacked charts by artifact digest. */
  readonly chartArchives: Lru<KeptChart>;
}

/** One reconciliation: the deps, and what belongs to it alone. */
export interface Pass extends Deps, PassContext {
  readonly release: HelmRelease;
  readonly status: KeptStatus<HelmReleaseStatus>;
}
