import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../runtime/controller.js';

/** The API server's own controllers write these at every roll-out. */
const COUNTED = 'deployment.kubernetes.io/revision';

function marks({ object: { metadata } }: Pick<Change, 'object'>): object {
  const { labels = {}, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => key !== COUNTED);
  return { labels, annotations: Object.fromEntries(kept) };
}

/**
 * True when a change, seen by its metadata alone, may be one of what the object says: it is going or gone, its
 * generation moved, it has none to tell by, or its labels or annotations changed. A new object is none: whoever made
 * it anew did so after it was deleted.
 */
export function mayBeDrift({ type, object, previous }: Change): boolean {
  if (type !== 'updated' || previous === undefined) return type === 'deleted';
  const { generation } = object.metadata;
  if (generation === undefined || generation !== previous.metadata.generation) return true;
  return !isDeepStrictEqual(marks({ object }), marks({ object: previous }));
}
