import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import uniqBy from 'lodash/uniqBy.js';
import { encryptedInputs } from './model/sops/inputs.js';
import { decryptFile, isEncryptedFile } from './model/sops/decrypt-file.js';
import { keyringOf, type Keyring, type SopsKeys } from './model/sops/data-key.js';
import { SopsProblem } from './model/sops/tree.js';
import { BuildViolation, type Input } from './model/tree.js';

/** As in Flux. */
const MAX_BYTES = 5 * 1024 * 1024;
/** Each decrypted value is searched for in every message. */
const MOST_VALUES = 5_000;
/** No message is longer. */
const LONGEST_VALUE = 20_000;

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

/**
 * Decrypts copies of files of a source in place, of those that kustomize will read. Returns the values that no message
 * may show. Throws BuildViolation, which names the file and nothing of its content.
 */
export async function decryptInputs(root: string, inputs: readonly Input[], keys: SopsKeys): Promise<string[]> {
  const keyring = await keyringFor(keys);
  const values: string[] = [];
  for (const { path, format } of uniqBy(encryptedInputs(inputs), 'path')) {
    const file = join(root, path);
    const { size } = await stat(file);
    const text = await readFile(file, 'utf8');
    if (!isEncryptedFile(text, format)) continue;
    if (size > MAX_BYTES) throw new BuildViolation(`${path} has more than ${MAX_BYTES} bytes: shorten it`);
    const decrypted = await located(path, () => decryptFile(text, format, keyring));
    await writeFile(file, decrypted.content);
    values.push(...decrypted.values.filter((value) => value.length <= LONGEST_VALUE));
    if (values.length > MOST_VALUES)
      throw new BuildViolation(`${path}: a build may have ${MOST_VALUES} encrypted values at most`);
  }
  return values;
}
