import type { KubeObject, Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { readYaml } from '#lib/yaml.js';

/** What is shorter is found in every text, and is no secret. */
const SHORTEST = 4;

/** The texts in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (!isMap(value) && !Array.isArray(value)) return [];
  return Object.values(value).flatMap(textsIn);
}

/** A value as a whole, and the texts of the YAML that it may be. */
function spellings(text: string): string[] {
  const read = readYaml(text);
  return [text, ...('value' in read ? textsIn(read.value) : [])];
}

/** What the Secrets among some objects hold, and no message may show. */
export function secretTexts(objects: readonly KubeObject[]): string[] {
  const secrets = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Secret');
  const values = secrets.flatMap((secret) => {
    const { data, stringData } = secret as Unstructured; // a Secret has these
    const encoded = textsIn(data).map((text) => Buffer.from(text, 'base64').toString());
    return [...encoded, ...textsIn(stringData)];
  });
  return values.flatMap(spellings).filter(({ length }) => length >= SHORTEST);
}
