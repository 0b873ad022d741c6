import type { Evaluators } from '#controllers/application/evaluators/evaluator.js';
import { ResultCache } from '#controllers/application/evaluators/result-cache.js';
import { templateEvaluator } from '#controllers/application/evaluators/templates.js';
import { run } from '#engine/process/run.js';
import { programProblem, PROGRAMS } from '#manager/programs.js';
import type { Offload } from '#runtime/isolation/offload.js';

const [HELM] = PROGRAMS;

type RenderTemplates = Evaluators['templates'];

/** Templates of values as helm renders them; undefined: there is no helm. */
export type FindRenderer = () => Promise<RenderTemplates | undefined>;

/** Renders as the controller does. Without helm nothing is rendered, and `problem` says so. */
export class LazyRenderer {
  readonly #find: FindRenderer;
  #found: Promise<RenderTemplates | undefined> | undefined;
  problem: string | undefined;

  constructor(find: FindRenderer) {
    this.#find = find;
  }

  /** Helm is only looked for once there is something to render. */
  readonly render: RenderTemplates = async (questions, pass) => {
    const render = await (this.#found ??= this.#find());
    if (render !== undefined) return render(questions, pass);
    this.problem = `valuesTemplate is not rendered, and its values are missing: there is no ${HELM.wanted} on PATH; install it, or set --helm-path`;
    return questions.map(() => ({ values: {} }));
  };
}

/** Why a program is not helm; undefined if it is. */
export function helmProblem(path: string): Promise<string | undefined> {
  return programProblem(HELM, path, run);
}

/** The renderer with a helm, which is looked for until it is found. */
export function rendererWith(findHelm: () => Promise<string | undefined>, offload: Pick<Offload, 'run'>): FindRenderer {
  let known: RenderTemplates | undefined;
  return async () => {
    if (known !== undefined) return known;
    const helmPath = await findHelm();
    if (helmPath === undefined) return undefined;
    return (known ??= new ResultCache(Date.now).remembering(templateEvaluator({ run, helmPath, offload })));
  };
}
