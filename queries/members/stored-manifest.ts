import { objectsOf } from '#controllers/helmrelease/model/manifest.js';
import type { Task } from '#runtime/isolation/offload.js';
import { isMap } from '#lib/plain.js';
import type { ShownManifest } from '../answers/members.js';
import { ShownObjects } from './shown-objects.js';
import { documentsIn, orProblem, unpackedRelease, type StoredRelease } from './stored-release.js';

/** The objects of a stored release as they were rendered, or why it cannot be read. */
export type StoredManifest = ShownManifest | { readonly problem: string };

const DEADLINE_MS = 4_000;

type Question = Pick<StoredRelease, 'data' | 'namespace'>;

interface Part {
  readonly manifest: unknown;
  readonly hook: string;
}

/** The manifest, and then the hooks. */
function partsOf({ manifest, hooks }: ReturnType<typeof unpackedRelease>): Part[] {
  const list: readonly unknown[] = Array.isArray(hooks) ? hooks : [];
  const ofHooks = list.filter(isMap).map((hook) => {
    const events: readonly unknown[] = Array.isArray(hook['events']) ? hook['events'] : [];
    const words = events.filter((event) => typeof event === 'string').slice(0, 10);
    return { manifest: hook['manifest'], hook: words.join(', ').slice(0, 200) || 'hook' };
  });
  return [{ manifest, hook: '' }, ...ofHooks];
}

function addDocument(shown: ShownObjects, document: string, more: Parameters<ShownObjects['add']>[1]): void {
  // Others are not parsed any more: that takes the time.
  if (shown.isFull) shown.skip();
  else for (const object of objectsOf(document)) shown.add(object, more);
}

function manifestIn({ data, namespace }: Question): StoredManifest {
  const shown = new ShownObjects();
  for (const { manifest, hook } of partsOf(unpackedRelease(data))) {
    for (const document of documentsIn(manifest)) addDocument(shown, document, { namespace, hook });
  }
  return shown.shown;
}

/** What a tenant stored is read in another thread: he decides how long it takes. @public Called by its name. */
export const storedManifestTask: Task = {
  module: import.meta.url,
  name: 'storedManifestTask',
  deadlineMs: DEADLINE_MS,
  mostWaiting: 20,
  run: (input) => JSON.stringify(orProblem(() => manifestIn(JSON.parse(input) as Question))), // as readManifest prints it
};
