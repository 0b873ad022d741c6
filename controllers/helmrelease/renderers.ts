import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { kustomizeBuild, type Built, type KustomizeTool } from '#engine/flux/kustomize-build.js';
import type { Run } from '#engine/process/run.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { createLru } from '#lib/lru.js';
import {
  fromKustomize,
  kustomizationOf,
  kustomizers,
  planPostRender,
  toKustomize,
  withStrategyHint,
  type Kustomize,
} from './model/post-render.js';
import type { RenderedChart } from './model/manifest.js';
import type { HelmReleaseSpec } from './model/types.js';
import type { KeptChart } from './chart-archive.js';
import { createChartCrds } from './chart-crds.js';
import { createRender } from './render.js';

const RESOURCES = 'helm-output.yaml';

export interface PostRenderDependencies extends KustomizeTool {
  readonly scratch: ArtifactStore['scratch'];
}

/**
 * The changed documents with their `# Source:`, or why kustomize failed. Rejects when kustomize could not run, timed
 * out or was cancelled.
 */
export type PostRender = (chart: RenderedChart, spec: HelmReleaseSpec, signal: AbortSignal) => Promise<Built>;

/** Manifests may contain secrets: no other user of this machine may read them. */
async function build(
  { scratch, ...tool }: PostRenderDependencies,
  change: { readonly manifests: string; readonly kustomize: Kustomize },
  signal: AbortSignal,
): Promise<Built> {
  const resources = toKustomize(change.manifests);
  if (resources === '') return { output: change.manifests };
  const { path, dispose } = await scratch('post-render');
  try {
    await writeFile(join(path, RESOURCES), resources, { mode: 0o600 });
    await writeFile(join(path, 'kustomization.yaml'), kustomizationOf(change.kustomize, RESOURCES), { mode: 0o600 });
    const built = await kustomizeBuild(tool, path, { signal });
    if ('problem' in built) return { problem: `post renderer: ${built.problem}` };
    return { output: fromKustomize(built.output) };
  } finally {
    await dispose();
  }
}

/** Runs post renderers with the real kustomize, one after the other, without the chart's CRDs and notes. */
function createPostRender(deps: PostRenderDependencies): PostRender {
  return async (chart, spec, signal) => {
    const { goes, passedBy } = planPostRender(chart, spec.postRenderStrategy);
    const done: string[] = [];
    for (const go of goes) {
      let manifests = go;
      for (const kustomize of kustomizers(spec)) {
        const result = await build(deps, { manifests, kustomize }, signal);
        if ('problem' in result) return { problem: withStrategyHint(result.problem, chart, spec.postRenderStrategy) };
        manifests = result.output;
      }
      done.push(manifests);
    }
    return { output: [...done, passedBy].join('') };
  };
}

/** What rendering works with. */
export interface RenderTools {
  readonly store: ArtifactStore;
  readonly run: Run;
  readonly offload: Pick<Offload, 'run'>;
  readonly helmPath: string;
  readonly kustomizePath: string;
}

/** Limit for the memory of cached charts. */
const CHART_BYTES_KEPT = 96 * 1024 * 1024;

/** Everything that charts are rendered with, see createRenderers. */
export type Renderers = Readonly<ReturnType<typeof createRenderers>>;

/** Everything that charts are rendered with; each keeps what it did for a while. */
export function createRenderers(tools: RenderTools) {
  const { store, run, offload, helmPath, kustomizePath } = tools;
  const scratch: ArtifactStore['scratch'] = (prefix) => store.scratch(prefix);
  return {
    ...{ store, offload },
    postRender: createPostRender({ run, kustomizePath, scratch }),
    chartCrds: createChartCrds({ run, helmPath, scratch, offload }),
    render: createRender({ run, helmPath, scratch }),
    /** Unpacked charts by artifact digest. */
    chartArchives: createLru<KeptChart>(CHART_BYTES_KEPT, ({ size }) => size),
  };
}
