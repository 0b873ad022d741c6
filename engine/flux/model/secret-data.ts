import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';

/**
 * A Secret as the API server stores it, with `stringData` in `data`: what leaves the write-only field would stay there.
 * Other objects as they are.
 */
export function withSecretData(object: Unstructured): Unstructured {
  const { stringData, ...rest } = object;
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1' || !isMap(stringData)) return object;
  const texts = Object.entries(stringData).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  // What is no text is for the server to refuse.
  if (texts.length < Object.keys(stringData).length) return object;
  const encoded = texts.map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]);
  const data = isMap(rest['data']) ? rest['data'] : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } };
}
