import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Usage } from './model/quota.js';

/** `<kind>/<namespace>/<name>/<file>`. */
const DEPTH = 4;

async function addFiles(folder: string, depth: number, sizes: Map<number, number>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (depth < DEPTH && entry.isDirectory() && !entry.name.startsWith('.')) await addFiles(path, depth + 1, sizes);
    // What was removed meanwhile uses nothing.
    const found = depth === DEPTH && entry.isFile() ? await lstat(path).catch(() => undefined) : undefined;
    if (found !== undefined) sizes.set(found.ino, found.size);
  }
}

function sum(sizes: ReadonlyMap<number, number>): number {
  return [...sizes.values()].reduce((total, size) => total + size, 0);
}

/** What the artifacts below `root` use. Reads the names of all files: only for what is stored, not for what is read. */
export async function usageOf(root: string, namespace: string): Promise<Usage> {
  const all = new Map<number, number>();
  const own = new Map<number, number>();
  await addFiles(root, 1, all);
  const kinds = await readdir(root).catch(() => []);
  for (const kind of kinds) await addFiles(join(root, kind, namespace), DEPTH - 1, own);
  return { total: sum(all), namespace: sum(own) };
}
