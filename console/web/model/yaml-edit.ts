import {
  Document,
  isAlias,
  isCollection,
  isNode,
  isScalar,
  parseDocument,
  Scalar,
  type Node,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';

export type Path = readonly (string | number)[];

/** A value, or its text with comments; undefined: what is at the path is removed. */
export type Content = { readonly value: unknown } | { readonly yaml: string };
export type Edit = { readonly path: Path } & Content;

const EMPTY = /^(?:~|null|Null|NULL)?$/;
const NULL: ScalarTag = {
  tag: 'tag:yaml.org,2002:null',
  default: true,
  identify: (value) => value === null,
  test: EMPTY,
  resolve: () => new Scalar(null),
  stringify: ({ source }) => (source !== undefined && EMPTY.test(source) ? source : 'null'),
};
/** Only maps, lists and nothing are understood: all else is a text that is written again as it stands. */
const STRUCTURE = {
  schema: 'failsafe',
  customTags: (tags: Tags): Tags => [...tags, NULL],
  uniqueKeys: false,
  logLevel: 'silent',
} as const;
const DASHES_BELOW_KEYS = /^( *)[^\s#-].*:[ \t]*\n\1- /m;

function isAt(container: unknown, key: string | number): boolean {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, key);
}

function changedList(list: readonly unknown[], index: number, value: unknown): unknown[] {
  if (value !== undefined) return index < list.length ? list.with(index, value) : [...list, value];
  return list.filter((_, each) => each !== index);
}

/** The value at a path; undefined without one. Never throws. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    // Checked by isAt; a key of a list is an index.
    (found, key) => (isAt(found, key) ? (found as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}

/** A copy with another value at the path; what is missing on the way is made. */
export function withValueAt(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  const below = valueAt(value, [key]);
  const changed = next === undefined && below === undefined ? undefined : withValueAt(below, rest, next);
  if (typeof key === 'number') return changedList(Array.isArray(value) ? value : [], key, changed);
  const entries = Object.entries(isMap(value) ? value : {});
  if (changed === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  const isThere = entries.some(([name]) => name === key);
  const replaced = entries.map(([name, each]) => [name, name === key ? changed : each] as const);
  return Object.fromEntries(isThere ? replaced : [...entries, [key, changed]]);
}

/** What says nothing is no place to put something into. */
function clearWay(doc: Document, path: Path): void {
  for (let length = 1; length < path.length; length += 1) {
    const node: unknown = doc.getIn(path.slice(0, length), true);
    // `{}` is there for want of a key.
    if (isCollection(node) && node.items.length === 0) node.flow = false;
    if (isAlias(node)) throw new Error('the value is used elsewhere, too');
    if (isScalar(node) && node.value === null) doc.setIn(path.slice(0, length), nodeOf('{}'));
  }
}

function nodeOf(yaml: string): Node | null {
  const { contents } = parseDocument(yaml, STRUCTURE);
  if (contents !== null && 'flow' in contents) contents.flow = false;
  return contents;
}

/** Comments beside and above the old value stay. */
function put(doc: Document, path: Path, yaml: string): void {
  clearWay(doc, path);
  const before: unknown = doc.getIn(path, true);
  const node = nodeOf(yaml);
  if (isNode(before) && isNode(node)) {
    const { comment, commentBefore, spaceBefore } = before;
    if (isScalar(before) || isCollection(node)) Object.assign(node, { comment, commentBefore, spaceBefore });
  }
  doc.setIn(path, node);
}

function editedText(text: string, edits: readonly Edit[]): string | undefined {
  try {
    const doc = parseDocument(text, STRUCTURE);
    for (const edit of edits) {
      const { path } = edit;
      if ('yaml' in edit) put(doc, path, edit.yaml);
      else if (edit.value !== undefined) put(doc, path, printYaml(edit.value));
      else if (doc.hasIn(path)) doc.deleteIn(path);
    }
    return doc.toString({ lineWidth: 0, indentSeq: !DASHES_BELOW_KEYS.test(text) });
  } catch {
    return undefined;
  }
}

function means(text: string, wanted: string): boolean {
  try {
    return canonicalJson(parseYaml(text)) === wanted;
  } catch {
    return false;
  }
}

/** A value, and the texts of its YAML by their paths: empty where there is none. */
export interface Written {
  readonly value: PlainMap;
  readonly textAt: (path: Path) => string;
}

/** What stands at a path, with its comments. An empty one has no text: it must not become null. */
export function contentAt({ value, textAt }: Written, path: Path): Content {
  const yaml = textAt(path);
  return yaml === '' ? { value: valueAt(value, path) } : { yaml };
}

/** What the edits make of a value. */
export function valueWith(value: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce((before, edit) => {
    return withValueAt(before, edit.path, 'yaml' in edit ? parseYaml(edit.yaml) : edit.value);
  }, value);
}

/**
 * The text of one YAML document with other values at these paths, and comments, order and spelling of all others kept.
 * Of the result, exactly these values differ: where that cannot be had, e.g. of an alias, it is printed anew, without
 * comments. Throws a SyntaxError if the text is no YAML.
 */
export function editYaml(text: string, edits: readonly Edit[]): string {
  const value = valueWith(parseYaml(text), edits);
  const edited = editedText(text, edits);
  return edited !== undefined && means(edited, canonicalJson(value)) ? edited : printYaml(value);
}

function textOfNode(doc: Document, path: Path): string {
  try {
    const node: unknown = doc.getIn(path, true);
    if (!isNode(node) || isAlias(node)) return '';
    const own = new Document(undefined, STRUCTURE);
    own.contents = node;
    return own.toString({ lineWidth: 0 });
  } catch {
    return '';
  }
}

/**
 * The texts of what is at some paths of a YAML text that means this value, with their comments; empty if nothing is
 * there, or an empty map. It is read once, and not before somebody asks.
 */
export function textsIn(text: string, whole: unknown): (path: Path) => string {
  let read: Document | undefined;
  return (path) => {
    const value = valueAt(whole, path);
    if (value === undefined || value === null || (isMap(value) && Object.keys(value).length === 0)) return '';
    read ??= parseDocument(text, STRUCTURE);
    const own = textOfNode(read, path);
    return means(own, canonicalJson(value)) ? own : printYaml(value);
  };
}

/** Where what is at a path begins in a YAML text, in characters; 0 for what is not there. */
export function offsetAt(text: string, path: Path): number {
  const node: unknown = parseDocument(text, STRUCTURE).getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
