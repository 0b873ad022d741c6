import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { manifestsOf, type ManifestProblem, type ReadManifests } from './model/manifests.js';
import type { Variable, Variables } from './model/substitution/substitute.js';

interface Question {
  /** What kustomize printed. */
  readonly text: string;
  /** Absent: nothing is substituted. */
  readonly variables: Variables | undefined;
}

/** As it is handed to another thread. */
interface Order {
  readonly text: string;
  readonly variables?: readonly (readonly [name: string, variable: Variable])[];
}

/** What is shorter is read faster than it is handed to another thread. */
const SMALL = 64 * 1024;

function read({ text, variables }: Question): ReadManifests | ManifestProblem {
  try {
    return manifestsOf(text, variables);
  } catch (error: unknown) {
    if (!(error instanceof Error)) throw error;
    return { problem: `kustomize printed something that is not valid YAML: ${error.message}` };
  }
}

/** @public Called by its name. */
export const readManifestsTask: Task = {
  module: import.meta.url,
  name: 'readManifestsTask',
  deadlineMs: 30_000,
  run(input) {
    const { text, variables } = parseJson(input) as Order; // as orderOf printed it
    return printJson(read({ text, variables: variables && new Map(variables) }));
  },
};

function orderOf({ text, variables }: Question): string {
  const order: Order = variables === undefined ? { text } : { text, variables: [...variables] };
  return printJson(order);
}

/**
 * The objects that kustomize printed; a long text, and one with variables, is read in another thread: an expression may
 * ask for much. `lane` is whose it is.
 */
export async function readManifestsAside(
  offload: Pick<Offload, 'run'>,
  question: Question,
  lane: string,
): Promise<ReadManifests | ManifestProblem> {
  const { text, variables } = question;
  const hasExpressions = variables !== undefined && text.includes('$');
  if (text.length <= SMALL && !hasExpressions) return read(question);
  return answerOf<ReadManifests | ManifestProblem>(
    offload.run(readManifestsTask, orderOf(question), lane),
    ({ message }) => ({ problem: `what kustomize printed ${message} to read` }),
    parseJson,
  );
}
