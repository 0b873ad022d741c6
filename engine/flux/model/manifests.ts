import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { isSecret } from '#api/core.js';
import type { CommonMetadata } from '#api/flux/common.js';

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

/**
 * A Secret as the API server stores it, with `stringData` in `data`: what leaves the write-only field would stay there.
 * Other objects as they are.
 */
export function withSecretData(object: Unstructured): Unstructured {
  const { stringData, ...rest } = object;
  if (!isSecret(object) || !isMap(stringData)) return object;
  const texts = Object.entries(stringData).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  // What is no text is for the server to refuse.
  if (texts.length < Object.keys(stringData).length) return object;
  const encoded = texts.map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]);
  const data = isMap(rest['data']) ? rest['data'] : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } };
}
