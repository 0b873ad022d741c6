import type { Cache } from '../../runtime/controller.js';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import type { ApplyingDeps } from '../shared/deps.js';
import type { KeptChart } from './chart-archive.js';
import type { ChartCrds } from './chart-crds.js';
import type { Lru } from '../../runtime/pure/lru.js';
import type { HelmChart, HelmRelease } from './model/types.js';
import type { PostRender } from './post-render.js';
import type { Render } from './render.js';

/** What every pass over a HelmRelease uses. */
export interface Deps extends ApplyingDeps {
  readonly releases: Cache<HelmRelease>;
  readonly charts: Cache<HelmChart>;
  readonly store: ArtifactStore;
  readonly chartCrds: ChartCrds;
  readonly render: Render;
  readonly postRender: PostRender;
  /** Unpacked charts by artifact digest. */
  readonly chartArchives: Lru<KeptChart>;
}
