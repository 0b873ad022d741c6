import { helmProblem, rendererWith, type FindRenderer } from '../controllers/preview/lazy-renderer.js';
import { PROGRAMS } from '../controllers/programs.js';
import { createOffload, type Offload } from '../controllers/runtime/offload.js';
import { findTool } from '../sandbox/tools.js';

const [HELM] = PROGRAMS;

/** Throws if what the user named is not helm. */
export async function checkHelm(path: string | undefined): Promise<void> {
  const problem = path === undefined ? undefined : await helmProblem(path);
  if (problem === undefined) return;
  throw new Error(`--helm-path: ${problem}; install ${HELM.wanted}, or set --helm-path to where it is`);
}

/** The one that the user named, that of PATH, or that of sandboxes. */
async function findHelm(path: string | undefined): Promise<string | undefined> {
  if (path !== undefined) return path;
  if ((await helmProblem(HELM.command)) === undefined) return HELM.command;
  return findTool('helm').catch(() => undefined);
}

/** What one command computes with. */
export interface Workbench {
  readonly offload: Offload;
  readonly findRenderer: FindRenderer;
}

/** Gives `work` threads and the helm of this machine, for as long as it takes. */
export async function withWorkbench<T>(
  helmPath: string | undefined,
  work: (workbench: Workbench) => Promise<T>,
): Promise<T> {
  const offload = createOffload();
  const findRenderer = rendererWith(() => findHelm(helmPath), offload);
  try {
    return await work({ offload, findRenderer });
  } finally {
    await offload.close();
  }
}
