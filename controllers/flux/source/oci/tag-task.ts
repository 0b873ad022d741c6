import { OverrunError, type Offload, type Task } from '#controllers/runtime/offload.js';
import { latestTag, type TagAnswer, type TagQuery } from '../model/oci-tags.js';

/** @public Called by its name: takes a TagQuery. */
export const latestTagTask: Task = {
  module: import.meta.url,
  name: 'latestTagTask',
  deadlineMs: 10_000,
  run: (input) => Promise.resolve(JSON.stringify(latestTag(JSON.parse(input) as TagQuery))), // as latestTagAside prints it
};

/** Chooses a tag in another thread: there may be many, and the pattern is a user's. `tenant` is whose it is. */
export async function latestTagAside(
  offload: Pick<Offload, 'run'>,
  query: TagQuery,
  tenant: string,
): Promise<TagAnswer> {
  try {
    return JSON.parse(await offload.run(latestTagTask, JSON.stringify(query), tenant)) as TagAnswer; // as the task printed it
  } catch (error: unknown) {
    if (!(error instanceof OverrunError)) throw error;
    return { problem: `choosing one of ${query.tags.length} tags ${error.message}: name one in spec.ref.tag` };
  }
}
