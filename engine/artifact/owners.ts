import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { orUndefined } from './missing.js';
import { isSegment } from './paths.js';
import type { ArtifactOwner } from './types.js';

async function foldersIn(folder: string): Promise<string[]> {
  const entries = (await orUndefined(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory() && isSegment(entry.name)).map(({ name }) => name);
}

/** Who has a folder below `root`. */
export async function ownersIn(root: string): Promise<ArtifactOwner[]> {
  const owners: ArtifactOwner[] = [];
  for (const kind of await foldersIn(root)) {
    for (const namespace of await foldersIn(join(root, kind))) {
      const names = await foldersIn(join(root, kind, namespace));
      owners.push(...names.map((name) => ({ kind, namespace, name })));
    }
  }
  return owners;
}
