import { printJson } from '#lib/json/lossless-json.js';
import { type PlainMap, isMap } from '#lib/plain.js';
import { MIB, MOST_STORED_BYTES, SIZE_HELP } from '#queries/views/object-size.js';
import { GITOPS_GROUP, STATE_ANNOTATIONS, STATE_LABELS } from '#api/v1alpha1/labels.js';
import { parseYamlDocuments, printYaml, YamlError, parseYaml } from '#lib/yaml/yaml.js';
import { pathText } from './three-way.js';
import { valueAt, type Path } from '../../model/yaml-edit.js';

const API_VERSION = `${GITOPS_GROUP}/v1alpha1`;
const KIND = 'Application';

/** What nobody edits, and what stays as it is: what the controller says of the state, and kubectl's own copy. */
const NOT_EDITED = {
  labels: STATE_LABELS,
  annotations: ['kubectl.kubernetes.io/last-applied-configuration', ...STATE_ANNOTATIONS],
} as const;

/** What of an Application is somebody's to edit. */
export interface Editable {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: object;
}

/** What is wrong with a text, and where, if somebody can say it. */
export interface TextProblem {
  readonly text: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
}

export type ReadText = { readonly value: PlainMap } | { readonly problem: TextProblem };

function withoutEmpty(map: Readonly<Record<string, unknown>>): PlainMap {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => !isMap(value) || Object.keys(value).length > 0));
}

type Texts = Pick<Editable, 'labels' | 'annotations'>;

/** Those with these keys, or those with others. */
function chosen(texts: Texts['labels'], keys: readonly string[], isWanted: boolean): Texts['labels'] {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => keys.includes(key) === isWanted));
}

/** Labels and annotations that are somebody's to edit. */
export function editableTexts({ labels, annotations }: Texts): Texts {
  return {
    labels: chosen(labels, NOT_EDITED.labels, false),
    annotations: chosen(annotations, NOT_EDITED.annotations, false),
  };
}

/** The Application as a manifest. */
export function textOf({ namespace, name, spec, ...texts }: Editable): string {
  const metadata = withoutEmpty({ name, namespace, ...editableTexts(texts) });
  return printYaml({ apiVersion: API_VERSION, kind: KIND, metadata, spec });
}

/** What a reader of YAML complained about. */
function textProblemOf(error: unknown): TextProblem {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof YamlError ? { text, ...error.position } : { text };
}

/** The one object of a text, read as kubectl reads it. Never throws. */
export function readText(text: string): ReadText {
  try {
    const documents = parseYamlDocuments(text).filter((document) => document !== null);
    const [value] = documents;
    if (documents.length > 1) return { problem: { text: 'There are several documents: keep one.' } };
    if (!isMap(value))
      return { problem: { text: 'There is no object: it begins with apiVersion, kind, metadata and spec.' } };
    return { value };
  } catch (error: unknown) {
    return { problem: textProblemOf(error) };
  }
}

function textMap(value: unknown): PlainMap {
  return isMap(value) ? value : {};
}

/** What is sent: the object of the text, of the version that was read, with what of it was not shown. */
export function toSend(value: PlainMap, base?: Texts & { readonly resourceVersion: string }): PlainMap {
  if (base === undefined) return value;
  const own = textMap(value['metadata']);
  // Sent although empty: what is not sent stays.
  const labels = { ...textMap(own['labels']), ...chosen(base.labels, NOT_EDITED.labels, true) };
  const annotations = { ...textMap(own['annotations']), ...chosen(base.annotations, NOT_EDITED.annotations, true) };
  return { ...value, metadata: { ...own, labels, annotations, resourceVersion: base.resourceVersion } };
}

/** A field that the API server would not store as it was sent. */
export interface StoredOtherwise {
  readonly field: string;
  /** As it would be stored; empty if it would be dropped. */
  readonly stored: string;
}

const MOST_CHARACTERS = 100;

/** Undefined for what is no list and no map. */
function keysOf(value: unknown): (string | number)[] | undefined {
  if (Array.isArray(value)) return [...value.keys()];
  return isMap(value) ? Object.keys(value) : undefined;
}

function* compared(sent: unknown, kept: unknown, path: Path): Generator<StoredOtherwise> {
  // An empty value is dropped everywhere, and changes nothing.
  if (sent === null || sent === undefined) return;
  const stored = kept === undefined || kept === null ? '' : printJson(kept);
  const keys = keysOf(sent);
  if (stored === '' || keys === undefined) {
    if (stored !== printJson(sent)) yield { field: pathText(path), stored: stored.slice(0, MOST_CHARACTERS) };
    return;
  }
  for (const key of keys) yield* compared(valueAt(sent, [key]), valueAt(kept, [key]), [...path, key]);
}

/** The fields that the API server does not know, and drops without a word, and numbers that it cannot hold. */
export function storedOtherwise(sent: unknown, kept: unknown, path: Path): StoredOtherwise[] {
  return [...compared(sent, kept, path)];
}

/** Finds what is wrong with the values of a chart; undefined if nothing is. */
export function readValues(text: string): TextProblem | undefined {
  try {
    const value = parseYaml(text);
    return value === null || isMap(value) ? undefined : { text: 'Values are a map: KEY: VALUE' };
  } catch (error: unknown) {
    return textProblemOf(error);
  }
}

/**
 * Characters of values that may be drawn twice, also as a text of their own; more costs a second per pause in typing.
 */
const MOST_TWICE = 100_000;

function charactersLeft(value: unknown, left: number): number {
  if (left < 0) return left;
  if (typeof value !== 'object' || value === null) return left - String(value).length;
  let rest = left;
  for (const [key, each] of Object.entries(value)) {
    rest = charactersLeft(each, rest - key.length);
    if (rest < 0) return rest;
  }
  return rest;
}

/** True for values that are only edited where the whole Application is. Takes as long as for the longest that are not. */
export function areLongValues(values: unknown): boolean {
  return charactersLeft(values, MOST_TWICE) < 0;
}

/**
 * Why an object may not be stored although the API server accepts it: a dry run asks no etcd. Empty if it is short
 * enough.
 */
export function sizeWords(value: PlainMap): string {
  const bytes = new TextEncoder().encode(printJson(value)).length;
  if (bytes <= MOST_STORED_BYTES) return '';
  // Rounded up: it is never shown as what is allowed.
  return `It has ${Math.ceil((bytes * 100) / MIB) / 100} MiB, and ${SIZE_HELP}.`;
}
