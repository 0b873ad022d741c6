import { helmProblem, rendererWith } from '#queries/plans/lazy-renderer.js';
import type { Offload } from '#runtime/offload.js';
import type { ConsoleOptions } from './options.js';
import type { Workbench } from './v1/preview-answers.js';

/** The helm of the options, if it is one, and these threads. */
export function workbenchOf({ helmPath }: Pick<ConsoleOptions, 'helmPath'>, offload: Pick<Offload, 'run'>): Workbench {
  const findHelm = async (): Promise<string | undefined> =>
    (await helmProblem(helmPath)) === undefined ? helmPath : undefined;
  return { offload, findRenderer: rendererWith(findHelm, offload) };
}
