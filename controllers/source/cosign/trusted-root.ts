import { open } from 'node:fs/promises';

/** A trusted_root.json has some KB. */
const MAX_BYTES = 1024 * 1024;

/** The text of a trust root. Throws for what cannot be read, or is no file, or too large. */
export async function readTrustedRoot(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES) throw new RangeError(`not a file of at most ${MAX_BYTES} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
