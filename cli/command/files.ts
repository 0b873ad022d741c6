import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { KubeObject } from '#api/meta.js';
import { describeObject } from '#lib/net/urls.js';
import { isMap } from '#lib/plain.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { pathArgument, repeated } from './arguments.js';
import { errorLine } from './exit.js';

/** An object of a file, and where it stands. */
export interface FileObject {
  readonly file: string;
  readonly object: KubeObject;
}

/** As kubectl reads it. */
const STANDARD_INPUT = '-';

/** The extensions of the files that kubectl reads in a folder. */
const EXTENSIONS = ['.yaml', '.yml', '.json'];

function unreadable(file: string, flag: string, cause: unknown): Error {
  return new Error(`cannot read ${file}: ${errorLine(cause)}; choose another file with ${flag}`, { cause });
}

/** A file itself; of a folder, what kubectl reads there: its manifests by name, not those of its subfolders. */
async function filesAt(file: string, flag: string): Promise<string[]> {
  if (file === STANDARD_INPUT) return [file];
  try {
    if (!(await stat(file)).isDirectory()) return [file];
    const entries = await readdir(file, { withFileTypes: true });
    const manifests = entries.filter((entry) => !entry.isDirectory() && EXTENSIONS.includes(path.extname(entry.name)));
    return manifests.map(({ name }) => path.join(file, name)).sort();
  } catch (cause: unknown) {
    throw unreadable(file, flag, cause);
  }
}

async function contentOf(file: string, flag: string): Promise<string> {
  try {
    return file === STANDARD_INPUT ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (cause: unknown) {
    throw unreadable(file, flag, cause);
  }
}

function documentsIn(file: string, content: string): unknown[] {
  try {
    return parseYamlDocuments(content).filter((document) => document !== null);
  } catch (cause: unknown) {
    throw new Error(`${file} is not valid YAML: ${errorLine(cause)}`, { cause });
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The objects of a document: of a List, its items. Throws what a Kubernetes object has to have and this has not. */
function objectsIn(document: unknown, place: string): KubeObject[] {
  if (!isMap(document)) throw new Error(`${place} is no Kubernetes object: it is not a YAML map`);
  const { apiVersion, kind, metadata, items } = document;
  if (kind === 'List' && Array.isArray(items)) {
    return items.flatMap((item, index) => objectsIn(item, `${place}, items[${index}]`));
  }
  if (!isText(apiVersion) || !isText(kind)) throw new Error(`${place} has no apiVersion and kind`);
  const name = isMap(metadata) ? metadata['name'] : undefined;
  if (!isText(name)) throw new Error(`${place}: the ${kind} has no metadata.name`);
  // These are all fields that are read of it here; the API server checks the others.
  return [document as unknown as KubeObject];
}

function refuseDoubles(objects: readonly FileObject[]): void {
  const seen = new Map<string, string>();
  for (const { file, object } of objects) {
    const { apiVersion, kind, metadata } = object;
    const subject = `${apiVersion} ${describeObject(kind, metadata)}`;
    const before = seen.get(subject);
    if (before !== undefined) throw new Error(`${subject} is in ${before} and again in ${file}: keep one of them`);
    seen.set(subject, file);
  }
}

/** All objects of some YAML files and folders, in their order; `-` is the standard input, `flag` has named them. Throws what is wrong with which file. */
export async function readFiles(files: readonly string[], flag = '-f'): Promise<FileObject[]> {
  if (files.length === 0) throw new Error(`name a file with ${flag}`);
  const objects: FileObject[] = [];
  const found = await Promise.all(files.map((file) => filesAt(file, flag)));
  for (const file of found.flat()) {
    const documents = documentsIn(file, await contentOf(file, flag));
    documents.forEach((document, index) => {
      const place = documents.length === 1 ? file : `${file}, document ${index + 1}`;
      objects.push(...objectsIn(document, place).map((object) => ({ file, object })));
    });
  }
  if (objects.length === 0) throw new Error(`there is no object in ${files.join(', ')}`);
  refuseDoubles(objects);
  return objects;
}

/** Collects the values of a flag that names files. */
export const filesArgument = repeated(pathArgument);

/** Where an object goes, as with kubectl: a namespace of its own must be the one of the flag. */
export function placed({ file, object }: FileObject, wanted: string | undefined, fallback: string): KubeObject {
  const { metadata, kind } = object;
  if (wanted !== undefined && metadata.namespace !== undefined && metadata.namespace !== wanted) {
    throw new Error(
      `${file}: ${describeObject(kind, metadata)} is not in namespace ${wanted}: leave -n out, or correct it`,
    );
  }
  if (metadata.managedFields !== undefined) {
    throw new Error(`${file}: ${describeObject(kind, metadata)} has metadata.managedFields: remove them`);
  }
  return { ...object, metadata: { ...metadata, namespace: metadata.namespace ?? wanted ?? fallback } };
}
