import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import { outputOrRefusal } from '../../engine/process/refusal.js';
import type { Run } from '../../engine/process/types.js';
import {
  fromKustomize,
  kustomizationOf,
  kustomizers,
  planPostRender,
  toKustomize,
  type Kustomize,
} from './model/post-render.js';
import type { RenderedChart } from './model/manifest.js';
import type { HelmReleaseSpec } from './model/types.js';

const TIMEOUT_MS = 60_000;
const RESOURCES = 'helm-output.yaml';
const MAX_PROBLEM_LENGTH = 2_000;

export interface PostRenderDependencies {
  readonly run: Run;
  readonly kustomizePath: string;
  readonly scratch: ArtifactStore['scratch'];
}

/** Changed documents with their `# Source:`, or why kustomize would not. */
export type PostRendered = { readonly output: string } | { readonly problem: string };

/** Rejects when kustomize could not run, timed out or was cancelled. */
export type PostRender = (chart: RenderedChart, spec: HelmReleaseSpec, signal: AbortSignal) => Promise<PostRendered>;

function problemOf(stderr: string, folder: string): string {
  const text = stderr
    .replace(/^Error: /m, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '')
    .trim();
  return `post renderer: ${text === '' ? 'kustomize failed without saying why' : text.slice(0, MAX_PROBLEM_LENGTH)}`;
}

/** The folder holds manifests, maybe with secrets: nobody else on this machine may read them. */
async function build(
  { run, kustomizePath, scratch }: PostRenderDependencies,
  change: { readonly manifests: string; readonly kustomize: Kustomize },
  signal: AbortSignal,
): Promise<PostRendered> {
  const resources = toKustomize(change.manifests);
  if (resources === '') return { output: change.manifests };
  const { path, dispose } = await scratch('post-render');
  try {
    await writeFile(join(path, RESOURCES), resources, { mode: 0o600 });
    await writeFile(join(path, 'kustomization.yaml'), kustomizationOf(change.kustomize, RESOURCES), { mode: 0o600 });
    const options = {
      cwd: path,
      timeoutMs: TIMEOUT_MS,
      signal,
      env: { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '192MiB' },
    };
    const result = await run(kustomizePath, ['build', path], options);
    const printed = outputOrRefusal('kustomize build', result, (stderr) => problemOf(stderr, path));
    return 'problem' in printed ? printed : { output: fromKustomize(printed.output) };
  } finally {
    await dispose();
  }
}

/** Post renderers by the real kustomize, one after the other. The chart's CRDs and notes are not seen by them. */
export function createPostRender(deps: PostRenderDependencies): PostRender {
  return async (chart, spec, signal) => {
    const { goes, passedBy } = planPostRender(chart, spec.postRenderStrategy);
    const done: string[] = [];
    for (const go of goes) {
      let manifests = go;
      for (const kustomize of kustomizers(spec)) {
        const result = await build(deps, { manifests, kustomize }, signal);
        if ('problem' in result) return result;
        manifests = result.output;
      }
      done.push(manifests);
    }
    return { output: [...done, passedBy].join('') };
  };
}
