import type { ObjectMeta } from '#api/meta.js';

/** kubectl's copy of the object: of a Secret it holds the credential. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Longer annotations are documents of other tools. */
const MAX_ANNOTATION = 8_192;

/** The annotations that values may read: without kubectl's copy of the object, and what is too long to be a fact. */
export function readableAnnotations({ annotations = {} }: Pick<ObjectMeta, 'annotations'>): Record<string, string> {
  const readable = Object.entries(annotations).filter(
    ([key, value]) => key !== LAST_APPLIED && value.length <= MAX_ANNOTATION,
  );
  return Object.fromEntries(readable);
}
