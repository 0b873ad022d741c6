import { isAlias, isMap, isScalar, isSeq, parseAllDocuments, stringify, Scalar, type Document } from 'yaml';
import { goText } from '#lib/json/lossless-json.js';

/** Why a file cannot be decrypted: the end of a sentence that names it. It holds nothing of its content. */
export class SopsProblem extends Error {}

/** A value: text, or what is written without quotes. */
export interface Leaf {
  readonly kind: 'text' | 'plain';
  readonly bytes: Buffer;
}

/** What a file contains, in the order in which its MAC is taken. Comments are no part of it. */
export type Tree =
  | Leaf
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, value: Tree])[] }
  | { readonly kind: 'list'; readonly items: readonly Tree[] };

export type Branch = Extract<Tree, { kind: 'map' }>;

const MAX_DEPTH = 64;

export function leaf(kind: Leaf['kind'], text: string): Leaf {
  return { kind, bytes: Buffer.from(text) };
}

/** A value of a map. */
export function fieldOf(tree: Tree | undefined, name: string): Tree | undefined {
  return tree?.kind === 'map' ? tree.entries.find(([key]) => key === name)?.[1] : undefined;
}

/** Empty for what is no leaf. */
export function textOf(tree: Tree | undefined): string {
  return tree?.kind === 'text' || tree?.kind === 'plain' ? tree.bytes.toString('utf8') : '';
}

function keyText(node: unknown): string {
  if (isScalar(node) && typeof node.value === 'string') return node.value;
  throw new SopsProblem('has a key that is not a text');
}

/** The library compares each key with each other one. */
function requireUniqueKeys(keys: readonly string[]): void {
  if (new Set(keys).size < keys.length) throw new SopsProblem('has a key twice in one map');
}

function treeOf(node: unknown, depth: number): Tree {
  if (depth > MAX_DEPTH) throw new SopsProblem(`is nested more than ${MAX_DEPTH} deep`);
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => [keyText(key), treeOf(value, depth + 1)] as const);
    requireUniqueKeys(entries.map(([key]) => key));
    return { kind: 'map', entries };
  }
  if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => treeOf(item, depth + 1)) };
  if (isAlias(node)) throw new SopsProblem('has an alias, which sops does not write');
  if (!isScalar(node)) return leaf('plain', 'null');
  const text = typeof node.value === 'string' ? node.value : '';
  return leaf(node.type === Scalar.PLAIN ? 'plain' : 'text', text);
}

function branchOf({ contents, errors }: Document.Parsed): Branch[] {
  const [error] = errors;
  // The library's message quotes the text.
  if (error !== undefined) throw new SopsProblem(`is not valid: line ${error.linePos?.[0].line ?? 1} (${error.code})`);
  const tree = contents === null ? leaf('plain', '') : treeOf(contents, 0);
  if (tree.kind === 'map') return [tree];
  if (tree.kind === 'list' || tree.bytes.length > 0) throw new SopsProblem('is not a map');
  return [];
}

/** The documents of a YAML or JSON file; those that are empty are left out. Throws SopsProblem. */
export function readTrees(text: string): Branch[] {
  const options = { schema: 'failsafe', logLevel: 'silent', stringKeys: true, uniqueKeys: false } as const;
  return Array.from(parseAllDocuments(text, options)).flatMap((document) => branchOf(document));
}

function scalarOf({ kind, bytes }: Leaf): Scalar {
  const scalar = new Scalar(bytes.toString('utf8'));
  scalar.type = kind === 'plain' ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
  return scalar;
}

function plainValue(tree: Tree): unknown {
  if (tree.kind === 'map') return new Map(tree.entries.map(([key, value]) => [key, plainValue(value)]));
  return tree.kind === 'list' ? tree.items.map(plainValue) : scalarOf(tree);
}

/** As YAML, every text in quotes. */
export function printYamlTrees(trees: readonly Branch[]): string {
  const options = { schema: 'failsafe', indent: 4, lineWidth: 0, defaultKeyType: Scalar.QUOTE_DOUBLE } as const;
  return trees.map((tree) => stringify(plainValue(tree), options)).join('---\n');
}

/** As sops prints JSON. */
export function printJsonTree(tree: Tree, indent = ''): string {
  const deeper = `${indent}\t`;
  const block = (open: string, lines: readonly string[], close: string): string =>
    lines.length === 0 ? open + close : `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`;
  if (tree.kind === 'map') {
    const lines = tree.entries.map(([key, value]) => `${goText(key)}: ${printJsonTree(value, deeper)}`);
    return block('{', lines, '}');
  }
  if (tree.kind === 'list')
    return block(
      '[',
      tree.items.map((item) => printJsonTree(item, deeper)),
      ']',
    );
  const text = tree.bytes.toString('utf8');
  return tree.kind === 'plain' ? text : goText(text);
}
