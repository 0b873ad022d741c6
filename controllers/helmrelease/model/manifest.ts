import type { CommonMetadata } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import { withMetadata } from '#engine/flux/model/manifests.js';
import { NodeBudget } from './manifest-cost.js';
import { isNotesSource } from './preamble.js';

/** What a hook is run for. `test-success` is Helm 2's word for `test`. */
export type HookEvent =
  | 'pre-install'
  | 'post-install'
  | 'pre-delete'
  | 'post-delete'
  | 'pre-upgrade'
  | 'post-upgrade'
  | 'pre-rollback'
  | 'post-rollback'
  | 'test';

export type HookPhase = 'Unknown' | 'Running' | 'Succeeded' | 'Failed';

/** When a hook ran last, in Helm's storage form. */
export interface HookRun {
  started_at?: string;
  completed_at?: string;
  phase: HookPhase | '';
}

/** A hook in Helm's storage form: field names are Helm's. */
export interface Hook {
  name?: string;
  kind?: string;
  path?: string;
  manifest?: string;
  events?: HookEvent[];
  last_run: HookRun;
  weight?: number;
  delete_policies?: string[];
  output_log_policies?: string[];
}

/** What rendering gave: the text that Helm stores, and the hooks. */
export interface RenderedChart {
  readonly manifest: string;
  readonly hooks: readonly Hook[];
  /** Empty when the chart has none. */
  readonly notes: string;
}

const EVENTS: ReadonlySet<string> = new Set<HookEvent>([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
]);

/**
 * helm splits what a template prints at these marks, so that none is left within a document. Only a line feed starts a
 * line for Go: in JavaScript `^` also stands behind \r and U+2028.
 */
const SEPARATOR = /(?<![^\n])---[ \t]*/;

const DOCUMENT = /(?<![^\n])---\n# Source: ([^\n]*)\n/;

const POLICY_ANNOTATION = 'helm.sh/resource-policy';

/** One document, and the file of the chart that it came from. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

function isObject(value: unknown): value is Unstructured {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'kind' in value;
}

/** `helm template` puts `---` and the source path in front of every document. */
export function splitSources(output: string): SourceText[] {
  const parts = `${output.trim()}\n`.split(DOCUMENT);
  const sources: SourceText[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    sources.push({ path: parts[index] ?? '', text: parts[index + 1] ?? '' });
  }
  return sources;
}

function listOf(annotation: string | undefined): string[] {
  return (annotation ?? '')
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
}

function eventsOf(object: Unstructured): HookEvent[] {
  return listOf(object.metadata.annotations?.['helm.sh/hook'])
    .map((word) => (word === 'test-success' ? 'test' : word))
    .filter((word): word is HookEvent => EVENTS.has(word));
}

function weightOf(object: Unstructured): number {
  const text = object.metadata.annotations?.['helm.sh/hook-weight'] ?? '';
  return /^[-+]?\d+$/.test(text) ? Number(text) : 0;
}

function hookOf(path: string, object: Unstructured, manifest: string): Hook {
  const weight = weightOf(object);
  const deletePolicies = listOf(object.metadata.annotations?.['helm.sh/hook-delete-policy']);
  const logPolicies = listOf(object.metadata.annotations?.['helm.sh/hook-output-log-policy']);
  return {
    name: object.metadata.name,
    kind: object.kind,
    path,
    manifest,
    events: eventsOf(object),
    last_run: { phase: '' },
    ...(weight === 0 ? {} : { weight }),
    ...(deletePolicies.length === 0 ? {} : { delete_policies: deletePolicies }),
    ...(logPolicies.length === 0 ? {} : { output_log_policies: logPolicies }),
  };
}

function decorate(object: Unstructured, layers: readonly CommonMetadata[]): Unstructured {
  const items = object['items'];
  if (object.kind.endsWith('List') && Array.isArray(items)) {
    return { ...object, items: items.map((item: unknown) => (isObject(item) ? decorate(item, layers) : item)) };
  }
  return layers.reduce((current, layer) => withMetadata(current, layer), object);
}

/** The object as it is put on the cluster, or undefined for a document that holds none. */
function readObject(text: string, layers: readonly CommonMetadata[]): Unstructured | undefined {
  const parsed = parseYaml(text);
  if (!isObject(parsed)) return undefined;
  // Helm stores what the template printed; `metadata:` may be empty, and the API server then says what is missing.
  return decorate({ ...parsed, metadata: { ...parsed.metadata } }, layers);
}

function notesOf(text: string): string {
  const parsed = parseYaml(text);
  const notes = isMap(parsed) ? parsed['notes'] : undefined;
  return typeof notes === 'string' ? notes : '';
}

/**
 * Turns the output of `helm template` into what Helm stores, with `layers` of labels and annotations put on every
 * object, the last one winning. Order is Helm's own. Throws what parseYaml throws, and NodesError for too many objects.
 */
export function readRendered(output: string, layers: readonly CommonMetadata[]): RenderedChart {
  const manifest: string[] = [];
  const hooks: Hook[] = [];
  const budget = new NodeBudget();
  let notes = '';
  for (const { path, text } of splitSources(output)) {
    if (isNotesSource(path)) {
      notes = notesOf(text);
      continue;
    }
    const object = readObject(text, layers);
    if (object === undefined) continue;
    budget.take(object);
    const printed = printYaml(object).trimEnd();
    if (object.metadata.annotations?.['helm.sh/hook'] !== undefined) hooks.push(hookOf(path, object, printed));
    else manifest.push(`---\n# Source: ${path}\n${printed}\n`);
  }
  return { manifest: manifest.join(''), hooks, notes };
}

/** As the API server reads it: an empty `metadata:`, and a `namespace:` that is null or empty, are not set. */
function asRead(object: Unstructured): Unstructured {
  const { namespace, ...metadata } = { ...object.metadata };
  return { ...object, metadata: (namespace ?? '') === '' ? metadata : { ...metadata, namespace } };
}

function flatten(value: unknown): Unstructured[] {
  if (!isObject(value)) return [];
  const items = value['items'];
  return value.kind.endsWith('List') && Array.isArray(items) ? items.flatMap(flatten) : [asRead(value)];
}

/** The documents of a stored manifest, in order, without those that are empty. */
export function documentsOf(manifest: string): string[] {
  return manifest.split(SEPARATOR).filter((text) => text.trim() !== '');
}

/** The objects of a stored manifest or of one hook, in order; lists are taken apart. Throws what parseYaml throws. */
export function objectsOf(manifest: string): Unstructured[] {
  return documentsOf(manifest).flatMap((text) => flatten(parseYaml(text)));
}

/** True for objects that an upgrade or uninstall must leave (`helm.sh/resource-policy: keep`). */
export function isKept(object: Unstructured): boolean {
  return object.metadata.annotations?.[POLICY_ANNOTATION]?.trim().toLowerCase() === 'keep';
}
