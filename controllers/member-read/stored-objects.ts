import { targetOf, type ObjectTarget } from '../engine/apply/model/inventory.js';
import { documentsOf, objectsOf } from '../flux/helmrelease/model/manifest.js';
import { decodeRelease } from '../flux/helmrelease/release-codec.js';
import type { Task } from '../runtime/offload.js';

/** The objects of a stored release, or why it cannot be read. */
export type StoredObjects = { readonly objects: readonly ObjectTarget[] } | { readonly problem: string };

/** Of a release that is unpacked: far more than a manifest has. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** No API server takes a larger object. */
const MAX_DOCUMENT = 1536 * 1024;
/** More than anybody looks at. */
const MOST_OBJECTS = 5_000;
const DEADLINE_MS = 4_000;

interface Question {
  /** As the Secret has it. */
  readonly data: string;
  /** Of objects that name none. */
  readonly namespace: string;
}

function objectsIn({ data, namespace }: Question): ObjectTarget[] {
  const { manifest } = decodeRelease(data, 'of the release', MAX_UNPACKED_BYTES);
  const objects: ObjectTarget[] = [];
  for (const document of documentsOf(manifest)) {
    if (document.length > MAX_DOCUMENT) throw new Error('an object of the manifest is larger than any can be');
    const found = objectsOf(document).map((object) => ({
      ...targetOf(object),
      namespace: object.metadata.namespace ?? namespace,
    }));
    objects.push(...found.slice(0, MOST_OBJECTS - objects.length));
    if (objects.length >= MOST_OBJECTS) break;
  }
  return objects;
}

function read(question: Question): StoredObjects {
  try {
    return { objects: objectsIn(question) };
  } catch (error: unknown) {
    if (!(error instanceof Error)) throw error;
    return { problem: `not a release that can be read: ${error.message}` };
  }
}

/** What a tenant stored is read in another thread: he decides how long it takes. @public Called by its name. */
export const storedObjectsTask: Task = {
  module: import.meta.url,
  name: 'storedObjectsTask',
  deadlineMs: DEADLINE_MS,
  mostWaiting: 20,
  run: (input) => JSON.stringify(read(JSON.parse(input) as Question)), // as storedObjects prints it
};
