import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { parseManifest, type Manifest } from './model/manifest.js';
import { latestTag, type TagAnswer, type TagQuery } from '../model/choose-version.js';

const DEADLINE_MS = 10_000;

/** @public Called by its name: takes a TagQuery. */
export const latestTagTask: Task = {
  module: import.meta.url,
  name: 'latestTagTask',
  deadlineMs: DEADLINE_MS,
  run: (input) => Promise.resolve(JSON.stringify(latestTag(JSON.parse(input) as TagQuery))), // as latestTagAside prints it
};

/** @public Called by its name: takes the text of a manifest. */
export const parseManifestTask: Task = {
  module: import.meta.url,
  name: 'parseManifestTask',
  deadlineMs: DEADLINE_MS,
  run: (input) => Promise.resolve(JSON.stringify(parseManifest(input) ?? null)),
};

/** Chooses a tag in another thread: there may be many, and the pattern is a user's. `tenant` is whose it is. */
export async function latestTagAside(
  offload: Pick<Offload, 'run'>,
  query: TagQuery,
  tenant: string,
): Promise<TagAnswer> {
  return answerOf<TagAnswer>(offload.run(latestTagTask, JSON.stringify(query), tenant), ({ message }) => ({
    problem: `choosing a tag by ${query.field} ${message}: name one instead of a range`,
  }));
}

/** Parses what a registry says in another thread; undefined when it is no manifest. */
export async function parseManifestAside(
  offload: Pick<Offload, 'run'>,
  text: string,
  tenant: string,
): Promise<Manifest | undefined> {
  const manifest = await answerOf<Manifest | null>(offload.run(parseManifestTask, text, tenant), () => null);
  return manifest ?? undefined;
}
