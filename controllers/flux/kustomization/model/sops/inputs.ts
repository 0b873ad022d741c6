import type { Input } from '../tree.js';
import { formatOf, type SopsFormat } from './decrypt-file.js';

/** Files that may be encrypted, by the field that refers to them; ConfigMaps are no place for what was a secret. */
const FIELDS: readonly (readonly [field: RegExp, otherwise: SopsFormat])[] = [
  [/^(?:resources|patches|patchesJson6902|patchesStrategicMerge)\[/, 'yaml'],
  [/^secretGenerator\[\d+\]\.files\[/, 'binary'],
  [/^secretGenerator\[\d+\]\.envs?\b/, 'dotenv'],
];

/** The files that are decrypted if sops encrypted them, with their formats: as in Flux, and resources as well. */
export function encryptedInputs(inputs: readonly Input[]): { readonly path: string; readonly format: SopsFormat }[] {
  return inputs.flatMap(({ path, field, name }) => {
    const rule = FIELDS.find(([pattern]) => pattern.test(field));
    if (rule === undefined) return [];
    const format = formatOf(name);
    return [{ path, format: format === 'binary' ? rule[1] : format }];
  });
}
