import { isDeepStrictEqual } from 'node:util';
import type { Change } from '#runtime/controller.js';

/** The API server's own controllers write these at every roll-out. */
const COUNTED = 'deployment.kubernetes.io/revision';

function marks({ object: { metadata } }: Pick<Change, 'object'>): object {
  const { labels = {}, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => key !== COUNTED);
  return { labels, annotations: Object.fromEntries(kept) };
}

/**
 * True if a change may be drift, by the metadata alone: the object is being deleted or was deleted, its generation
 * changed or is missing, or its labels or annotations changed. A new object is not drift: its deletion was.
 */
export function mayBeDrift({ type, object, previous }: Change): boolean {
  if (type !== 'updated' || previous === undefined) return type === 'deleted';
  const { generation } = object.metadata;
  if (generation === undefined || generation !== previous.metadata.generation) return true;
  return !isDeepStrictEqual(marks({ object }), marks({ object: previous }));
}
