import { OverrunError, type Offload, type Task } from '#runtime/isolation/offload.js';
import { TransientError } from '#lib/errors.js';
import { listed } from '#lib/text/text.js';
import { parseRefs, resolveTarget, type GitTarget, type ResolvedRef } from './model/reference.js';

interface Question {
  readonly target: GitTarget;
  /** What `git ls-remote` printed. */
  readonly output: string;
}

/** Where long listings are read, and for whom. */
export interface Aside {
  readonly offload: Pick<Offload, 'run'>;
  /** The namespace of the source. */
  readonly tenant: string;
}

/** Less is parsed sooner than another thread begins. */
const SMALL = 64 * 1024;
/** A hundred thousand tags. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

const SHOWN = 10;

/** @public Called by its name: takes a Question. */
export const resolveTask: Task = {
  module: import.meta.url,
  name: 'resolveTask',
  deadlineMs: 10_000,
  run: (input) => {
    const { target, output } = JSON.parse(input) as Question; // as resolveAside prints it
    return Promise.resolve(JSON.stringify(resolveTarget(target, parseRefs(output))));
  },
};

/** @public Called by its name: takes what `git ls-remote` printed. */
export const offerTask: Task = {
  module: import.meta.url,
  name: 'offerTask',
  deadlineMs: 10_000,
  run: (output) => {
    const names = [...parseRefs(output).keys()].map((ref) => ref.replace(/^refs\/(heads|tags)\//, ''));
    return Promise.resolve(
      names.length === 0 ? 'the repository is empty' : `branches and tags are ${listed(names, SHOWN)}`,
    );
  },
};

function tooLarge(problem: string, cause?: unknown): TransientError {
  const message = `the list of references ${problem}: remove some of them`;
  return new TransientError(message, { reason: 'RepositoryTooLarge', cause });
}

/** What a task makes of a listing; of a long one in another thread. */
async function aside({ offload, tenant }: Aside, task: Task, input: string): Promise<string> {
  if (input.length <= SMALL) return task.run(input);
  if (input.length > MAX_CHARACTERS) throw tooLarge(`is longer than ${MAX_CHARACTERS / 1024 / 1024} MiB`);
  try {
    return await offload.run(task, input, tenant);
  } catch (error: unknown) {
    throw error instanceof OverrunError ? tooLarge(error.message, error) : error;
  }
}

/**
 * The references of a listing that a target may mean. Throws TransientError `RepositoryTooLarge`: references may be
 * removed.
 */
export async function resolveAside(where: Aside, question: Question): Promise<ResolvedRef[]> {
  return JSON.parse(await aside(where, resolveTask, JSON.stringify(question))) as ResolvedRef[]; // as the task printed it
}

/** What a repository has instead of what was not found, for a message. Throws as resolveAside does. */
export async function offerAside(where: Aside, output: string): Promise<string> {
  return aside(where, offerTask, output);
}
