import type { CommonMetadata } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';

/** The object with `common` on top of its own labels and annotations; the argument is not changed. */
export function withMetadata<T extends Unstructured>(object: T, common: CommonMetadata): T {
  const { labels, annotations, ...rest } = { ...object.metadata };
  return {
    ...object,
    metadata: {
      ...rest,
      ...(common.annotations || annotations ? { annotations: { ...annotations, ...common.annotations } } : {}),
      ...(common.labels || labels ? { labels: { ...labels, ...common.labels } } : {}),
    },
  };
}
