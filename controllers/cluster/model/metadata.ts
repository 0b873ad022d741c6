import type { KubeObject } from '#api/meta.js';

/** kubectl's copy of the object: of a Secret it holds the credential. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Longer annotations are documents of other tools. */
const MAX_ANNOTATION = 8_192;

/**
 * The object without annotations that values must not read, which the inventory does not keep: kubectl's copy of the
 * object, and those that are too long to be facts.
 */
export function withReadableAnnotations<T extends KubeObject>(object: T): T {
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(
    ([key, value]) => key !== LAST_APPLIED && value.length <= MAX_ANNOTATION,
  );
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(annotations) } };
}
