import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';

async function isFolder(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * The folder `parts` below `root`, if it is one all the way: a link in it, which a repository may contain, could lead
 * anywhere. Undefined when it is not. With `make`, what is missing is made.
 */
export async function realFolder(
  root: string,
  parts: readonly string[],
  { make = false }: { readonly make?: boolean } = {},
): Promise<string | undefined> {
  let folder = root;
  for (const part of parts) {
    folder = path.join(folder, part);
    if (make) await mkdir(folder).catch(() => undefined);
    if (!(await isFolder(folder))) return undefined;
  }
  return folder;
}
