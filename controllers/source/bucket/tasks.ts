import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { indexOf, parseBucketPage, type IndexAnswer, type IndexQuery, type BucketPage } from './model/listing.js';

const DEADLINE_MS = 10_000;

/** @public Called by its name: takes the text of a page. */
export const parsePageTask: Task = {
  module: import.meta.url,
  name: 'parsePageTask',
  deadlineMs: DEADLINE_MS,
  run: (input) => Promise.resolve(JSON.stringify(parseBucketPage(input) ?? null)),
};

/** @public Called by its name: takes an IndexQuery. */
export const indexTask: Task = {
  module: import.meta.url,
  name: 'indexTask',
  deadlineMs: DEADLINE_MS,
  run: (input) => Promise.resolve(JSON.stringify(indexOf(JSON.parse(input) as IndexQuery))), // as indexAside prints it
};

/** Parses what an object store lists in another thread; undefined when that is no list. */
export async function parsePageAside(
  offload: Pick<Offload, 'run'>,
  xml: string,
  tenant: string,
): Promise<BucketPage | undefined> {
  const page = await answerOf<BucketPage | null>(offload.run(parsePageTask, xml, tenant), () => null);
  return page ?? undefined;
}

/** Chooses the objects in another thread: there may be many, and the patterns are a user's. */
export async function indexAside(
  offload: Pick<Offload, 'run'>,
  query: IndexQuery,
  tenant: string,
): Promise<IndexAnswer> {
  return answerOf<IndexAnswer>(offload.run(indexTask, JSON.stringify(query), tenant), ({ message }) => ({
    problem: `excluding objects by spec.ignore ${message}: use fewer patterns`,
  }));
}
