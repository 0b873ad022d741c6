import type { Unstructured } from '#api/meta.js';
import { objectsOf } from '#controllers/helmrelease/model/manifest.js';
import { withOwnership, type ReleaseName } from '#controllers/helmrelease/model/ownership.js';
import type { Task } from '#runtime/isolation/offload.js';
import { printJson } from '#lib/json/lossless-json.js';
import { documentsIn, orProblem, unpackedRelease, type StoredRelease } from './stored-release.js';

/** The objects that a stored release wants, as they are applied, or why it cannot be read. */
export type WantedObjects =
  { readonly objects: readonly Unstructured[]; readonly more: number } | { readonly problem: string };

/** Of one release: each costs its cluster two requests. */
const MOST_OBJECTS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;
const DEADLINE_MS = 4_000;

export type WantedQuestion = Pick<StoredRelease, 'data'> & ReleaseName;

function wantedIn({ data, ...release }: WantedQuestion): WantedObjects {
  const objects: Unstructured[] = [];
  let [left, more] = [MAX_CHARACTERS, 0];
  for (const document of documentsIn(unpackedRelease(data).manifest)) {
    const isFull = objects.length >= MOST_OBJECTS || document.length > left;
    // Others are not parsed any more: that takes the time.
    const found = isFull ? [] : objectsOf(document);
    const kept = found.slice(0, MOST_OBJECTS - objects.length);
    objects.push(...kept.map((object) => withOwnership(object, release)));
    left -= isFull ? 0 : document.length;
    more += isFull ? 1 : found.length - kept.length;
  }
  return { objects, more };
}

/** What a tenant stored is read in another thread: he decides how long it takes. @public Called by its name. */
export const wantedObjectsTask: Task = {
  module: import.meta.url,
  name: 'wantedObjectsTask',
  deadlineMs: DEADLINE_MS,
  mostWaiting: 20,
  // As readLiveDiff printed it. Numbers that a double cannot hold stay.
  run: (input) => printJson(orProblem(() => wantedIn(JSON.parse(input) as WantedQuestion))),
};
