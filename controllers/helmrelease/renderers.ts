import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Run } from '#engine/process/types.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { createLru } from '#lib/lru.js';
import type { KeptChart } from './chart-archive.js';
import { createChartCrds } from './chart-crds.js';
import type { Deps } from './pass.js';
import { createPostRender } from './post-render.js';
import { createRender } from './render.js';

/** What rendering works with. */
export interface RenderTools {
  readonly store: ArtifactStore;
  readonly run: Run;
  readonly offload: Pick<Offload, 'run'>;
  readonly helmPath: string;
  readonly kustomizePath: string;
}

/** Limit for the JSON of cached charts. */
const CHART_BYTES_KEPT = 48 * 1024 * 1024;

/** Everything that charts are rendered with; each keeps what it did for a while. */
export function createRenderers(
  tools: RenderTools,
): Pick<Deps, 'store' | 'offload' | 'render' | 'chartCrds' | 'postRender' | 'chartArchives'> {
  const { store, run, offload, helmPath, kustomizePath } = tools;
  const scratch: ArtifactStore['scratch'] = (prefix) => store.scratch(prefix);
  return {
    ...{ store, offload },
    postRender: createPostRender({ run, kustomizePath, scratch }),
    chartCrds: createChartCrds({ run, helmPath, scratch, offload }),
    render: createRender({ run, helmPath, scratch }),
    chartArchives: createLru<KeptChart>(CHART_BYTES_KEPT, ({ size }) => size),
  };
}
