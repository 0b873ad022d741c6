import type { RenderValues } from '../application/render-values.js';
import { PROGRAMS } from '../programs.js';

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
