import { createRenderValues, type RenderValues } from '../../controllers/application/render-values.js';
import { run } from '../../controllers/engine/process/run.js';
import type { Offload } from '../../controllers/runtime/offload.js';
import { programProblem, PROGRAMS } from '../../controllers/settings.js';
import { findTool } from '../../sandbox/tools.js';

const [HELM] = PROGRAMS;

/** Throws if what the user named is not helm. */
export async function checkHelm(path: string | undefined): Promise<void> {
  const problem = path === undefined ? undefined : await programProblem(HELM, path, run);
  if (problem === undefined) return;
  throw new Error(`--helm-path: ${problem}; install ${HELM.wanted}, or set --helm-path to where it is`);
}

/** The one that the user named, that of PATH, or that of sandboxes. */
async function findHelm(path: string | undefined): Promise<string | undefined> {
  if (path !== undefined) return path;
  if ((await programProblem(HELM, HELM.command, run)) === undefined) return HELM.command;
  return findTool('helm').catch(() => undefined);
}

/** Renders as the controller does. Without helm nothing is rendered, and `problem` says so. */
export class LocalHelm {
  readonly #path: string | undefined;
  readonly #offload: Pick<Offload, 'run'>;
  #render: Promise<RenderValues | undefined> | undefined;
  problem: string | undefined;

  constructor(path: string | undefined, offload: Pick<Offload, 'run'>) {
    this.#path = path;
    this.#offload = offload;
  }

  /** Helm is only looked for once there is something to render. */
  readonly render: RenderValues = async (text, contexts, pass) => {
    const render = await (this.#render ??= this.#find());
    return render === undefined ? contexts.map(() => ({ values: {} })) : render(text, contexts, pass);
  };

  async #find(): Promise<RenderValues | undefined> {
    const helmPath = await findHelm(this.#path);
    if (helmPath !== undefined) return createRenderValues({ run, helmPath, offload: this.#offload, now: Date.now });
    this.problem = `valuesTemplate is not rendered, and its values are missing: there is no ${HELM.wanted} on PATH; install it, or set --helm-path`;
    return undefined;
  }
}
