import uniqBy from 'lodash/uniqBy.js';
import type { Input } from '../tree.js';
import { formatOf, type SopsFormat } from './decrypt-file.js';

/** Files that may be encrypted, by the field that refers to them; ConfigMaps are no place for what was a secret. */
const FIELDS: readonly (readonly [field: RegExp, otherwise: SopsFormat])[] = [
  [/^(?:resources|patches|patchesJson6902|patchesStrategicMerge)\[/, 'yaml'],
  [/^secretGenerator\[\d+\]\.files\[/, 'binary'],
  [/^secretGenerator\[\d+\]\.envs?\b/, 'dotenv'],
];

/** A file that is decrypted if sops encrypted it. */
export interface EncryptedInput extends Input {
  readonly format: SopsFormat;
}

function formatFor({ field, name }: Input): SopsFormat | undefined {
  const rule = FIELDS.find(([pattern]) => pattern.test(field));
  if (rule === undefined) return undefined;
  const format = formatOf(name);
  return format === 'binary' ? rule[1] : format;
}

/** As in Flux, and resources as well: each once for each format. */
export function encryptedInputs(inputs: readonly Input[]): EncryptedInput[] {
  const encrypted = inputs.flatMap((input) => {
    const format = formatFor(input);
    return format === undefined ? [] : [{ ...input, format }];
  });
  return uniqBy(encrypted, ({ path, format }) => `${format} ${path}`);
}

/** Another field that reads the file, but not as what it is decrypted to. */
export function otherReader({ path, format }: EncryptedInput, inputs: readonly Input[]): string | undefined {
  return inputs.find((input) => input.path === path && formatFor(input) !== format)?.field;
}
