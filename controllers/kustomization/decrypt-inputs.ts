import uniqBy from 'lodash/uniqBy.js';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildViolation, type Input } from './model/tree.js';
import { formatOf, decryptFile, isEncryptedFile, type SopsFormat } from './model/sops/decrypt-file.js';
import { keyringOf, type Keyring, type SopsKeys } from './model/sops/data-key.js';
import { SopsProblem } from './model/sops/tree.js';

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

/** As in Flux. */
const MAX_BYTES = 5 * 1024 * 1024;
/** Each decrypted value is searched for in every message. */
const MOST_VALUES = 5_000;

/** Says which file it is about. */
async function located<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error: unknown) {
    if (error instanceof SopsProblem) throw new BuildViolation(`${path} ${error.message}`);
    throw error;
  }
}

async function keyringFor(keys: SopsKeys): Promise<Keyring> {
  return keyringOf(keys).catch((error: unknown) => {
    throw error instanceof SopsProblem ? new BuildViolation(`spec.decryption: ${error.message}`) : error;
  });
}

/** What was decrypted. */
export interface DecryptedInputs {
  readonly isDecrypted: boolean;
  /** Values that no message may show. */
  readonly secrets: readonly string[];
}

/** The text of a file if sops encrypted it. Throws BuildViolation. */
async function encryptedText(
  file: string,
  input: EncryptedInput,
  inputs: readonly Input[],
): Promise<string | undefined> {
  const { path, field, format } = input;
  const { size } = await stat(file);
  const text = await readFile(file, 'utf8');
  if (!isEncryptedFile(text, format)) return undefined;
  if (size > MAX_BYTES) throw new BuildViolation(`${path} has more than ${MAX_BYTES} bytes: shorten it`);
  const other = otherReader(input, inputs);
  if (other === undefined) return text;
  throw new BuildViolation(
    `${path} is decrypted for ${field}, and ${other} reads it as something else: refer to a copy`,
  );
}

/**
 * Decrypts copies of files of a source in place, of those that kustomize will read. Throws BuildViolation, which names
 * the file and nothing of its content.
 */
export async function decryptInputs(root: string, inputs: readonly Input[], keys: SopsKeys): Promise<DecryptedInputs> {
  const keyring = await keyringFor(keys);
  const secrets: string[] = [];
  let isDecrypted = false;
  for (const input of encryptedInputs(inputs)) {
    const { path, format } = input;
    const file = join(root, path);
    const text = await encryptedText(file, input, inputs);
    if (text === undefined) continue;
    const { content, values } = await located(path, () => decryptFile(text, format, keyring));
    await writeFile(file, content);
    isDecrypted = true;
    secrets.push(...values);
    if (secrets.length > MOST_VALUES)
      throw new BuildViolation(`${path}: a build may have ${MOST_VALUES} encrypted values at most`);
  }
  return { isDecrypted, secrets };
}
