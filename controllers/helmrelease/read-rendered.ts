import { setImmediate as turn } from 'node:timers/promises';
import type { CommonMetadata } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { documentsOf, objectsOf, readRendered, type RenderedChart } from './model/manifest.js';
import type { ReleaseRecord } from './model/release.js';
import { YamlError } from '#lib/yaml/yaml.js';
import { jsonTask } from '#engine/flux/json-task.js';

type ReadChart = RenderedChart | { readonly problem: string };

interface Question {
  readonly output: string;
  readonly layers: readonly CommonMetadata[];
  /** Its values may be from Secrets. */
  readonly hides: boolean;
}

/** Shorter texts are read faster than they are handed to another thread. */
const SMALL = 64 * 1024;

/** Milliseconds of parsing after which the event loop gets a turn. */
const TURN_MS = 5;

/** A reason may quote a part of a value, which no mask finds. */
function invalidYaml(error: Error, hides: boolean): string {
  if (!hides) return error.message;
  return error instanceof YamlError ? error.place : 'why is withheld, because it may quote values from Secrets';
}

function read({ output, layers, hides }: Question): ReadChart {
  try {
    return readRendered(output, layers);
  } catch (error: unknown) {
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
  return question.output.length <= SMALL ? read(question) : readRenderedTask.ask(offload, question, tenant);
}

/** Like `objectsOf`, for the manifest of a whole release, without blocking the event loop. */
export async function objectsOfRelease(manifest: string): Promise<Unstructured[]> {
  const objects: Unstructured[] = [];
  let begun = performance.now();
  for (const document of documentsOf(manifest)) {
    objects.push(...objectsOf(document));
    if (performance.now() - begun < TURN_MS) continue;
    await turn();
    begun = performance.now();
  }
  return objects;
}

/** The objects of all records, with duplicates. */
export async function recordedObjects(records: readonly ReleaseRecord[]): Promise<Unstructured[]> {
  const objects: Unstructured[] = [];
  for (const { manifest } of records) objects.push(...(await objectsOfRelease(manifest)));
  return objects;
}
