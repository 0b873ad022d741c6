import { parseManifest, type Manifest } from './model/manifest.js';
import { latestTag, type TagAnswer, type TagQuery } from '../model/choose-version.js';
import { jsonTask } from '#engine/flux/json-task.js';

const DEADLINE_MS = 10_000;

/** @public Called by its name. Chooses a tag: there may be many, and the pattern is a user's. */
export const latestTagTask = jsonTask<TagQuery, TagAnswer>(
  { module: import.meta.url, name: 'latestTagTask', deadlineMs: DEADLINE_MS },
  latestTag,
  ({ message }, { field }) => ({ problem: `choosing a tag by ${field} ${message}: name one instead of a range` }),
);

/** @public Called by its name. Parses what a registry says; undefined when it is no manifest. */
export const parseManifestTask = jsonTask<string, Manifest | undefined>(
  { module: import.meta.url, name: 'parseManifestTask', deadlineMs: DEADLINE_MS },
  parseManifest,
  () => undefined,
);
