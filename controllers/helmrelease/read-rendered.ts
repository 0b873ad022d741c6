import type { CommonMetadata } from '#api/flux/common.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { readRendered, type RenderedChart } from './model/manifest.js';
import { excessOfTexts, mayHaveAliases, NodesError } from './model/manifest-cost.js';
import { YamlError } from '#lib/yaml/yaml.js';
import { jsonTask } from '#engine/flux/json-task.js';

type ReadChart = RenderedChart | { readonly problem: string };

interface Question {
  readonly output: string;
  readonly layers: readonly CommonMetadata[];
  /** Its values may be from Secrets. */
  readonly hides: boolean;
}

const WAY_OUT = ', which is too much for a Helm release: render less, or split the chart';

/** Shorter texts are read faster than they are handed to another thread. */
const SMALL = 64 * 1024;

/** A reason may quote a part of a value, which no mask finds. */
function invalidYaml(error: Error, hides: boolean): string {
  if (!hides) return error.message;
  return error instanceof YamlError ? error.place : 'why is withheld, because it may quote values from Secrets';
}

function read({ output, layers, hides }: Question): ReadChart {
  try {
    const rendered = readRendered(output, layers);
    const excess = excessOfTexts([rendered.manifest, ...rendered.hooks.map(({ manifest = '' }) => manifest)]);
    return excess === undefined ? rendered : { problem: `what the chart rendered to has ${excess}${WAY_OUT}` };
  } catch (error: unknown) {
    if (error instanceof NodesError) return { problem: `what the chart rendered to ${error.message}${WAY_OUT}` };
    if (!(error instanceof Error)) throw error;
    return { problem: `the chart rendered to something that is not valid YAML: ${invalidYaml(error, hides)}` };
  }
}

/** @public Called by its name. */
export const readRenderedTask = jsonTask<Question, ReadChart>(
  { module: import.meta.url, name: 'readRenderedTask', deadlineMs: 30_000 },
  read,
  ({ message }) => ({ problem: `what the chart rendered to ${message} to read` }),
);

/**
 * Like `readRendered`, or why the output cannot be read; long output is read in a worker thread. `tenant`: its owner.
 */
export async function readRenderedInWorker(
  offload: Pick<Offload, 'run'>,
  question: Question,
  tenant: string,
): Promise<ReadChart> {
  return question.output.length <= SMALL && !mayHaveAliases(question.output)
    ? read(question)
    : readRenderedTask.ask(offload, question, tenant);
}
