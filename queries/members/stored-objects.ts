import { targetOf, type ObjectTarget } from '#engine/member/model/inventory.js';
import { objectsOf } from '#controllers/helmrelease/model/manifest.js';
import type { Task } from '#runtime/isolation/offload.js';
import { documentsIn, orProblem, unpackedRelease, type StoredRelease } from './stored-release.js';

/** The objects of a stored release, or why it cannot be read. */
export type StoredObjects = { readonly objects: readonly ObjectTarget[] } | { readonly problem: string };

/** More than anybody looks at. */
const MOST_OBJECTS = 5_000;
const DEADLINE_MS = 4_000;

type Question = Pick<StoredRelease, 'data' | 'namespace'>;

function objectsIn({ data, namespace }: Question): StoredObjects {
  const objects: ObjectTarget[] = [];
  for (const document of documentsIn(unpackedRelease(data).manifest)) {
    const found = objectsOf(document).map((object) => ({
      ...targetOf(object),
      namespace: object.metadata.namespace ?? namespace,
    }));
    objects.push(...found.slice(0, MOST_OBJECTS - objects.length));
    if (objects.length >= MOST_OBJECTS) break;
  }
  return { objects };
}

/** What a tenant stored is read in another thread: he decides how long it takes. @public Called by its name. */
export const storedObjectsTask: Task = {
  module: import.meta.url,
  name: 'storedObjectsTask',
  deadlineMs: DEADLINE_MS,
  mostWaiting: 20,
  run: (input) => JSON.stringify(orProblem(() => objectsIn(JSON.parse(input) as Question))), // as storedObjects prints it
};
