import {
  leaf,
  SopsProblem,
  fieldOf,
  printJsonTree,
  printYamlTrees,
  readTrees,
  textOf,
  type Branch,
  type Tree,
} from './tree.js';
import { dataKeyOf, type Keyring } from './data-key.js';
import { decryptTrees, type DecryptedTrees } from './decrypt-trees.js';
import { metadataOf, Patterns, type Metadata } from './metadata.js';

const METADATA = 'sops_';
const STEP = /__(map|list)_/;

/** A tree without its leaves filled in. */
type Open = Map<string, Open | string>;

function place(root: Open, name: string, value: string): void {
  const steps = name.split(STEP);
  let at = root;
  for (let index = 0; index + 1 < steps.length; index += 2) {
    const next = at.get(steps[index] ?? '') ?? new Map<string, Open | string>();
    if (typeof next === 'string') throw new SopsProblem('has sops_ lines that contradict each other');
    at.set(steps[index] ?? '', next);
    at = next;
  }
  at.set(steps.at(-1) ?? '', value);
}

/** Keys of lists are their positions. */
function closed(open: Open | string): Tree {
  if (typeof open === 'string') return leaf('text', open);
  const entries = [...open].map(([key, value]) => [key, closed(value)] as const);
  const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
  return isList ? { kind: 'list', items: entries.map(([, value]) => value) } : { kind: 'map', entries };
}

/** A dotenv file, its metadata in a map `sops` like those of other formats. Throws SopsProblem. */
export function readDotenv(text: string): Branch {
  const metadata: Open = new Map();
  const entries: (readonly [string, Tree])[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const at = line.indexOf('=');
    if (at < 0) throw new SopsProblem('has a line without =');
    const [name, value] = [line.slice(0, at), line.slice(at + 1).replaceAll('\\n', '\n')];
    if (name.startsWith(METADATA)) place(metadata, name.slice(METADATA.length), value);
    else entries.push([name, leaf('text', value)]);
  }
  return { kind: 'map', entries: [...entries, ['sops', closed(metadata)]] };
}

/** Throws SopsProblem. */
export function printDotenv({ entries }: Branch): string {
  return entries
    .map(([name, value]) => {
      if (value.kind === 'map' || value.kind === 'list') throw new SopsProblem('has a value that is a map or a list');
      return `${name}=${value.bytes.toString('utf8').replaceAll('\n', '\\n')}\n`;
    })
    .join('');
}

export type SopsFormat = 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary';

/** What a file of each format contains if sops wrote it. */
const MARKERS: Readonly<Record<SopsFormat, string>> = {
  yaml: 'mac: ENC[',
  json: '"mac": "ENC[',
  dotenv: 'sops_mac=ENC[',
  ini: '[sops]',
  binary: '"mac": "ENC[',
};

const EXTENSIONS: readonly (readonly [string, SopsFormat])[] = [
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.json', 'json'],
  ['.dockerconfigjson', 'json'],
  ['.env', 'dotenv'],
  ['.ini', 'ini'],
];

/** As sops and Flux tell it by a name. */
export function formatOf(name: string): SopsFormat {
  return EXTENSIONS.find(([extension]) => name.endsWith(extension))?.[1] ?? 'binary';
}

export function isEncryptedFile(text: string, format: SopsFormat): boolean {
  return text.includes(MARKERS[format]);
}

const DISABLED = 'kustomize.toolkit.fluxcd.io/decrypt';

/** True for an object that is to stay encrypted. */
function isKept(document: Branch): boolean {
  const annotations = fieldOf(fieldOf(document, 'metadata'), 'annotations');
  return textOf(fieldOf(annotations, DISABLED)).toLowerCase() === 'disabled';
}

interface Group {
  readonly metadata: Metadata | undefined;
  readonly documents: Branch[];
}

/** Documents that were encrypted together have the same MAC; files may be put together from several. */
function groupsOf(documents: readonly Branch[]): Group[] {
  const groups: Group[] = [];
  const patterns = new Patterns();
  for (const document of documents) {
    const metadata = isKept(document) ? undefined : metadataOf(document, patterns);
    const last = groups.at(-1);
    if (last !== undefined && last.metadata?.mac === metadata?.mac) last.documents.push(document);
    else groups.push({ metadata, documents: [document] });
  }
  return groups;
}

async function decryptGroup({ metadata, documents }: Group, keyring: Keyring): Promise<DecryptedTrees> {
  if (metadata === undefined) return { documents, values: [] };
  return decryptTrees(documents, metadata, await dataKeyOf(metadata, keyring));
}

function binaryOf([document]: readonly Branch[]): Buffer {
  const data = document?.entries.find(([key]) => key === 'data')?.[1];
  if (data?.kind === 'text') return data.bytes;
  throw new SopsProblem('has no data');
}

function printed(documents: readonly Branch[], format: SopsFormat): Buffer | string {
  if (format === 'binary') return binaryOf(documents);
  if (format === 'yaml') return printYamlTrees(documents);
  const [document] = documents;
  if (document === undefined) throw new SopsProblem('is empty');
  return format === 'json' ? `${printJsonTree(document)}\n` : printDotenv(document);
}

export interface DecryptedFile {
  readonly content: Buffer | string;
  /** What was encrypted, as text. */
  readonly values: readonly string[];
}

/** Decrypts a file that sops encrypted. Throws SopsProblem: the end of a sentence that names the file. */
export async function decryptFile(text: string, format: SopsFormat, keyring: Keyring): Promise<DecryptedFile> {
  if (format === 'ini') throw new SopsProblem('is an INI file, which is not supported: encrypt it as a binary file');
  const documents = format === 'dotenv' ? [readDotenv(text)] : readTrees(text);
  const decrypted: DecryptedTrees[] = [];
  for (const group of groupsOf(documents)) decrypted.push(await decryptGroup(group, keyring));
  const content = printed(
    decrypted.flatMap((group) => group.documents),
    format,
  );
  return { content, values: decrypted.flatMap(({ values }) => values) };
}
