import { stat } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { kindsFor } from '#api/flux/source-kinds.js';
import { defined } from '#lib/plain.js';
import { errorLine } from '../exit.js';

/** The kinds of sources that files can stand for. */
const KINDS = kindsFor('applications');
const FORM = '[KIND/[NAMESPACE/]]NAME=PATH';

/** A source that a child is made of. */
export interface SourceRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Where files of sources are: of all that have this name, kind and namespace as far as these are said. */
export interface SourceFiles extends Partial<SourceRef> {
  readonly name: string;
  readonly path: string;
  /** As the user wrote it. */
  readonly text: string;
}

/** Throws for what is no kind of a source. */
function kindOf(text: string): string {
  const kind = KINDS.find((each) => each.toLowerCase() === text.toLowerCase());
  if (kind !== undefined) return kind;
  throw new InvalidArgumentError(`must be ${FORM}; the kinds are ${KINDS.join(', ')}.`);
}

/** Collects the values of a flag that says where the files of a source are. */
export function sourceFilesArgument(text: string, before: readonly SourceFiles[] = []): SourceFiles[] {
  const equals = text.indexOf('=');
  const [source, file] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
  const parts = source.split('/');
  const name = parts.at(-1) ?? '';
  if (equals < 0 || file === '' || parts.length > 3 || parts.includes('')) {
    throw new InvalidArgumentError(`must be ${FORM}, e.g. GitRepository/app=. for the folder that you are in.`);
  }
  const files = { name, path: file, text };
  const [kind, namespace] = parts.slice(0, -1);
  return [...before, { ...files, ...(kind === undefined ? {} : { kind: kindOf(kind) }), ...defined({ namespace }) }];
}

/** Throws for the first path that is neither a folder nor a file. Returns all with absolute paths. */
export async function foundSourceFiles(all: readonly SourceFiles[], flag: string): Promise<SourceFiles[]> {
  const found: SourceFiles[] = [];
  for (const files of all) {
    const place = path.resolve(files.path);
    try {
      const entry = await stat(place);
      if (!entry.isDirectory() && !entry.isFile()) throw new Error('it is neither a folder nor a file');
    } catch (cause: unknown) {
      const message = `cannot read ${files.path}: ${errorLine(cause)}; choose another path with ${flag}`;
      throw new Error(message, { cause });
    }
    found.push({ ...files, path: place });
  }
  return found;
}

function isMeant({ kind, namespace, name }: SourceFiles, source: SourceRef): boolean {
  return (
    name === source.name &&
    (kind ?? source.kind) === source.kind &&
    (namespace ?? source.namespace) === source.namespace
  );
}

/** How a user names a source exactly. */
export function sourceText({ kind, namespace, name }: SourceRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** The files of a source, if any flag names them; of several, the last one, as with other flags. */
export function filesOf(all: readonly SourceFiles[], source: SourceRef): SourceFiles | undefined {
  return all.findLast((files) => isMeant(files, source));
}

/** Those that are for none of these sources. */
export function unusedFiles(all: readonly SourceFiles[], sources: readonly SourceRef[]): SourceFiles[] {
  return all.filter((files) => !sources.some((source) => isMeant(files, source)));
}
