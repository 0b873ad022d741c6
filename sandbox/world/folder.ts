import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identify, isAlive, type ProcessId } from '../process-id.js';

const OWNER_FILE = 'fairlead-sandbox.json';

/**
 * Makes `dir` the folder of a world that this process owns. Throws when there is anything in it: a world removes its
 * folder in the end, and another world may be starting there.
 */
export async function claimFolder(dir: string): Promise<void> {
  const wayOut = 'choose another folder with --dir';
  const entries = await mkdir(dir, { recursive: true, mode: 0o700 })
    .then(() => readdir(dir))
    .catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${dir} cannot be used: ${why}; ${wayOut}`, { cause });
    });
  if (entries.length > 0) throw new Error(`${dir} is not empty: ${wayOut}`);
  // Exclusive, because two worlds may find the folder empty at once.
  await writeFile(path.join(dir, OWNER_FILE), JSON.stringify(await identify(process.pid)), { flag: 'wx', mode: 0o600 });
}

/** Whose world is, or was, in `dir`: `alive`, `gone`, or `none` when the folder is not a world's. */
export async function ownerIn(dir: string): Promise<'alive' | 'gone' | 'none'> {
  try {
    // Written by claimFolder; a crash may have cut it short, and then the owner is gone.
    const text = await readFile(path.join(dir, OWNER_FILE), 'utf8');
    return text !== '' && (await isAlive(JSON.parse(text) as ProcessId)) ? 'alive' : 'gone';
  } catch {
    return 'none';
  }
}
