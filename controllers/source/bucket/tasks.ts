import { indexOf, parseBucketPage, type IndexAnswer, type IndexQuery, type BucketPage } from './model/listing.js';
import { jsonTask } from '#engine/flux/json-task.js';

const DEADLINE_MS = 10_000;

/** @public Called by its name. Parses what an object store lists; undefined when that is no list. */
export const parsePageTask = jsonTask<string, BucketPage | undefined>(
  { module: import.meta.url, name: 'parsePageTask', deadlineMs: DEADLINE_MS },
  parseBucketPage,
  () => undefined,
);

/** @public Called by its name. Chooses the objects: there may be many, and the patterns are a user's. */
export const indexTask = jsonTask<IndexQuery, IndexAnswer>(
  { module: import.meta.url, name: 'indexTask', deadlineMs: DEADLINE_MS },
  indexOf,
  ({ message }) => ({ problem: `excluding objects by spec.ignore ${message}: use fewer patterns` }),
);
