import { outputOrRefusal, type Run } from '../process/run.js';

const TIMEOUT_MS = 60_000;
const MAX_PROBLEM_LENGTH = 2_000;

export interface KustomizeTool {
  readonly run: Run;
  readonly kustomizePath: string;
}

/** The output of kustomize, or why it failed. */
export type Built = { readonly output: string } | { readonly problem: string };

function problemOf(stderr: string, root: string): string {
  const text = stderr
    .replace(/^Error: /m, '')
    .replaceAll(`${root}/`, '')
    .replaceAll(root, '')
    .trim();
  return text === '' ? 'kustomize failed without saying why' : text.slice(0, MAX_PROBLEM_LENGTH);
}

interface BuildOptions {
  readonly signal: AbortSignal;
  readonly args?: readonly string[];
  /** Errors name paths relative to it; default: the folder. */
  readonly root?: string;
}

/** Builds a folder with the real kustomize. Throws if it cannot run, times out or is cancelled. */
export async function kustomizeBuild(
  { run, kustomizePath }: KustomizeTool,
  folder: string,
  { signal, args = [], root = folder }: BuildOptions,
): Promise<Built> {
  const env = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '192MiB' };
  const result = await run(kustomizePath, ['build', ...args, '--', folder], {
    cwd: folder,
    timeoutMs: TIMEOUT_MS,
    signal,
    env,
  });
  return outputOrRefusal('kustomize build', result, (stderr) => problemOf(stderr, root));
}
