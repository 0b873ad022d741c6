import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedFiles } from './files.js';

/** From dist/config to the root of the repository. */
const ROOT = path.join(import.meta.dirname, '..', '..');

/** Folders that hold generated files only; files that are no longer generated are removed. */
const FOLDERS = ['config/crd', 'config/rbac', 'config/console', 'config/kubesphere', 'docs/api'];

async function write(file: string, content: string): Promise<void> {
  const target = path.join(ROOT, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
}

async function leftovers(files: ReadonlyMap<string, string>): Promise<string[]> {
  const present = await Promise.all(
    FOLDERS.map(async (folder) => (await readdir(path.join(ROOT, folder))).map((name) => `${folder}/${name}`)),
  );
  return present.flat().filter((file) => !files.has(file));
}

async function generate(): Promise<void> {
  const files = generatedFiles();
  await Promise.all([...files].map(([file, content]) => write(file, content)));
  for (const file of await leftovers(files)) await rm(path.join(ROOT, file), { recursive: true });
}

await generate();
