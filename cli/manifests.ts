import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '#api/meta.js';

function isObject(document: unknown): document is KubeObject {
  return typeof document === 'object' && document !== null && 'kind' in document && 'metadata' in document;
}

/** The Kubernetes objects of one YAML file. Throws with the file's name when it does not parse. */
async function readManifest(file: string): Promise<KubeObject[]> {
  const text = await readFile(file, 'utf8');
  try {
    return loadAll(text).filter(isObject);
  } catch (cause: unknown) {
    throw new Error(`${file} is not valid YAML`, { cause });
  }
}

/**
 * The objects of every YAML file in a folder, by file name; kustomization.yaml holds none. Empty without the folder.
 */
export async function readManifests(folder: string): Promise<KubeObject[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').sort();
  return (await Promise.all(files.map((name) => readManifest(path.join(folder, name))))).flat();
}
