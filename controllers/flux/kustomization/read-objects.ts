import type { Unstructured } from '#api/meta.js';
import { OverrunError, type Offload, type Task } from '../../runtime/offload.js';
import { parseJson, printJson } from '../../runtime/pure/lossless-json.js';
import { objectsOf } from './model/objects.js';

type ReadObjects = { readonly objects: readonly Unstructured[] } | { readonly problem: string };

/** What is shorter is read faster than it is handed to another thread. */
const SMALL = 64 * 1024;

function read(text: string): ReadObjects {
  try {
    return { objects: objectsOf(text) };
  } catch (error: unknown) {
    if (!(error instanceof Error)) throw error;
    return { problem: `kustomize printed something that is not valid YAML: ${error.message}` };
  }
}

/** @public Called by its name. */
export const readObjectsTask: Task = {
  module: import.meta.url,
  name: 'readObjectsTask',
  deadlineMs: 30_000,
  run: (text) => printJson(read(text)),
};

/** The objects that kustomize printed; a long text is read in another thread. `lane` is whose it is. */
export async function readObjectsAside(
  offload: Pick<Offload, 'run'>,
  text: string,
  lane: string,
): Promise<ReadObjects> {
  if (text.length <= SMALL) return read(text);
  try {
    return parseJson(await offload.run(readObjectsTask, text, lane)) as ReadObjects; // as the task printed it
  } catch (error: unknown) {
    if (error instanceof OverrunError) return { problem: `what kustomize printed ${error.message} to read` };
    throw error;
  }
}
