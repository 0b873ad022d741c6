import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { orUndefined } from './lost-artifact.js';
import { quotaOfVolume, type Usage } from './model/limits.js';
import { isOfNamespace, ownerPath } from './paths.js';
import type { ArtifactOwner } from './types.js';

/** `<kind>/<namespace>/<name>/<file>`. */
const DEPTH = 4;

/** Content on the disk, by the paths that lead to it. */
interface Content {
  readonly bytes: number;
  readonly paths: string[];
}

/** What was removed meanwhile uses nothing. */
async function addFiles(root: string, folder: readonly string[], found: Map<bigint, Content>): Promise<void> {
  for (const entry of (await orUndefined(readdir(join(root, ...folder), { withFileTypes: true }))) ?? []) {
    const path = [...folder, entry.name];
    const isFile = path.length === DEPTH && entry.isFile();
    if (path.length < DEPTH && entry.isDirectory() && !entry.name.startsWith('.')) await addFiles(root, path, found);
    const file = isFile ? await orUndefined(lstat(join(root, ...path), { bigint: true })) : undefined;
    if (file === undefined) continue;
    const content = found.get(file.ino) ?? { bytes: Number(file.size), paths: [] };
    content.paths.push(path.join('/'));
    found.set(file.ino, content);
  }
}

/** What the artifacts below `root` use. Reads the names of all files: only for what is stored, not for what is read. */
export async function usageOf(root: string, owner: ArtifactOwner): Promise<Usage> {
  const found = new Map<bigint, Content>();
  await addFiles(root, [], found);
  const bytesOf = (counts: (content: Content) => boolean): number =>
    [...found.values()].filter(counts).reduce((total, { bytes }) => total + bytes, 0);
  const own = `${ownerPath(owner)}/`;
  return {
    total: bytesOf(() => true),
    namespace: bytesOf(({ paths }) => paths.some((path) => isOfNamespace(path, owner.namespace))),
    owner: bytesOf(({ paths }) => paths.every((path) => path.startsWith(own))),
  };
}

/** The quota of a store for which none was set, in bytes; undefined if the volume does not tell its size. */
export async function defaultQuotaBytes(root: string): Promise<number | undefined> {
  const volume = await statfs(root).catch(() => undefined);
  return volume && quotaOfVolume(volume.blocks * volume.bsize);
}
