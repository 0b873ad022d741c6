import { createRenderValues, type RenderValues } from '../application/render-values.js';
import { run } from '../engine/process/run.js';
import { programProblem, PROGRAMS } from '../programs.js';
import type { Offload } from '../runtime/offload.js';

const [HELM] = PROGRAMS;

/** Templates of values as helm renders them; undefined: there is no helm. */
export type FindRenderer = () => Promise<RenderValues | undefined>;

/** Renders as the controller does. Without helm nothing is rendered, and `problem` says so. */
export class LazyRenderer {
  readonly #find: FindRenderer;
  #found: Promise<RenderValues | undefined> | undefined;
  problem: string | undefined;

  constructor(find: FindRenderer) {
    this.#find = find;
  }

  /** Helm is only looked for once there is something to render. */
  readonly render: RenderValues = async (text, contexts, pass) => {
    const render = await (this.#found ??= this.#find());
    if (render !== undefined) return render(text, contexts, pass);
    this.problem = `valuesTemplate is not rendered, and its values are missing: there is no ${HELM.wanted} on PATH; install it, or set --helm-path`;
    return contexts.map(() => ({ values: {} }));
  };
}

/** Why a program is not helm; undefined if it is. */
export function helmProblem(path: string): Promise<string | undefined> {
  return programProblem(HELM, path, run);
}

/** The renderer with a helm, which is looked for until it is found. */
export function rendererWith(findHelm: () => Promise<string | undefined>, offload: Pick<Offload, 'run'>): FindRenderer {
  let known: RenderValues | undefined;
  return async () => {
    if (known !== undefined) return known;
    const helmPath = await findHelm();
    if (helmPath === undefined) return undefined;
    return (known ??= createRenderValues({ run, helmPath, offload, now: Date.now }));
  };
}
