import type { CelAnswer } from '#lib/cel/cel.js';
import { TransientError } from '#lib/errors.js';
import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { untilAborted } from '#runtime/process/signals.js';
import { applyFilters, type Filtered, type FilterQuestion } from './model/filters.js';

/** Of the metadata of all objects: thousands of usual ones. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Webhooks of one namespace, besides the one whose filters are evaluated. */
export const MOST_WAITING = 8;

/** @public Called by its name: takes a FilterQuestion. */
export const filterTask: Task = {
  module: import.meta.url,
  name: 'filterTask',
  deadlineMs: 5_000,
  mostWaiting: MOST_WAITING,
  run: (input) => Promise.resolve(JSON.stringify(applyFilters(JSON.parse(input) as FilterQuestion) ?? null)), // as filterAside prints it
};

function failed(problem: string): TransientError {
  return new TransientError(`the filters ${problem}: let labels select fewer objects`);
}

/** The question as text. Throws TransientError when it is too long. */
function printed(body: string, objects: readonly Filtered[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const object of objects) {
    const text = JSON.stringify(object);
    length += text.length;
    if (length > MOST_CHARACTERS) throw failed('are asked about too much metadata');
    texts.push(text);
  }
  return `{"body":${JSON.stringify(body)},"objects":[${texts.join(',')}]}`;
}

/**
 * What filters say of objects, in another thread: both are what users write. Undefined when the body is no JSON object.
 * Throws TransientError when it costs too much.
 */
export async function filterAside(
  offload: Pick<Offload, 'run'>,
  { body, objects }: FilterQuestion,
  { tenant, signal }: { readonly tenant: string; readonly signal: AbortSignal },
): Promise<readonly CelAnswer[] | undefined> {
  const output = offload.run(filterTask, printed(body, objects), tenant);
  const late = untilAborted(signal).then(() => {
    throw failed('had to wait for too long');
  });
  const answers = await answerOf<CelAnswer[] | null>(Promise.race([output, late]), ({ message }) => {
    throw failed(message);
  });
  return answers ?? undefined;
}
