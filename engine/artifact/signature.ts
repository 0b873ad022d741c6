import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { constants, copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from './disk-error.js';
import { orUndefined } from './lost-artifact.js';

/** No owner's folder can have this name (paths.ts). */
const KEY_FILE = '.key';
const KEY_BYTES = 32;
/** Letters of a signature: 192 bits. */
const LENGTH = 32;

/** The letters without which the artifact at `path` is not served: who knows them was told the whole address. */
export function signatureOf(key: Buffer, path: string): string {
  return createHmac('sha256', key).update(path).digest('base64url').slice(0, LENGTH);
}

/** Whether these are the letters for `path`. Takes the same time for all that are not. */
export function isSignature(key: Buffer, path: string, said: string): boolean {
  const [wanted, given] = [signatureOf(key, path), said].map((text) => Buffer.from(text));
  return wanted !== undefined && given?.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The key of the addresses in a store, which is made once: an address is valid as long as the store. Throws
 * TransientError `StorageOperationFailed`.
 */
export function readKey(root: string): Promise<Buffer> {
  const file = join(root, KEY_FILE);
  return onDisk(async () => {
    const known = await orUndefined(readFile(file));
    if (known?.length === KEY_BYTES) return known;
    await mkdir(root, { recursive: true });
    const temporary = `${file}.${randomUUID()}`;
    await writeFile(temporary, randomBytes(KEY_BYTES), { mode: 0o600 });
    // Another process may have made one meanwhile. A file that is no key is replaced.
    if (known !== undefined) await rm(file, { force: true });
    await link(temporary, file).catch(async () => {
      // Where there are no links.
      if ((await orUndefined(readFile(file))) === undefined) await copyFile(temporary, file, constants.COPYFILE_EXCL);
    });
    await rm(temporary, { force: true });
    return readFile(file);
  });
}
