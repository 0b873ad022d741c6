import uniqBy from 'lodash/uniqBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { distinctTemplates, type TemplateInUse, templatesInUse } from '#api/v1alpha1/template.js';
import type { SchemaProblem, SchemaResult } from '#lib/json/json-schema.js';
import { keyOf } from '#lib/kube/keys.js';
import { isMap } from '#lib/plain.js';
import { describeObject } from '#lib/net/urls.js';
import { backendFor, BACKENDS } from '../backends/index.js';
import type { Entry, Rules, Violation } from '../child/types.js';
import { INLINE_PATH, inlineOf, SOURCE_PATH, sourceOf, sourceReference } from '../spec/flux-spec.js';
import {
  findTemplate,
  type FoundTemplate,
  helmSpecOf,
  templatePlaces,
  type TemplateUse,
  type TemplateView,
} from '../spec/template-lookup.js';

/** A source that children read. */
export interface SourceUse {
  readonly ref: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** Where it is named, for messages. */
  readonly path: string;
}

/** An Application with its templates laid under its entries, or why there is none. */
export interface Resolved {
  /** Says the same without templates. */
  readonly application: Application;
  /** For `status.templates`. */
  readonly inUse: readonly TemplateInUse[];
  /** The template that lies under an entry. */
  readonly templateOf: (entry: Pick<Entry, 'specPath'>) => FoundTemplate | undefined;
  /** The template of the chart. */
  readonly helm: FoundTemplate | undefined;
  /** By the path of an entry: why its template cannot be used. */
  readonly violations: ReadonlyMap<string, Violation>;
  /** What the user should know. */
  readonly warning: string | undefined;
  /** What its children read, each once. */
  readonly sources: readonly SourceUse[];
}
export type Resolution = Resolved | { readonly violation: Violation } | 'pending';

/** Every place in an Application that names a template. */
export function templateUses(application: Application): TemplateUse[] {
  return BACKENDS.flatMap((backend) => backend.templateUses(application));
}

/** What runs of a template that cannot be used now: its revision must not be thrown away meanwhile. */
function stillInUse({ status }: Application, use: TemplateUse): TemplateInUse[] {
  const places = templatePlaces(use).map(keyOf);
  return templatesInUse(status).filter((each) => each.kind === use.kind && places.includes(keyOf(each)));
}

function sourceWarning(application: Application, helm: FoundTemplate | undefined): string | undefined {
  if (helm === undefined || sourceOf(application) === undefined) return undefined;
  return `spec.fluxApp.spec.source is ignored: ${describeObject(helm.inUse.kind, helm.inUse)} provides the source`;
}

function sourceOfTemplate(path: string, { inUse, spec }: FoundTemplate): SourceUse {
  return { ref: spec.sourceRef, path: `${path}: spec.sourceRef of ${describeObject(inUse.kind, inUse)}` };
}

/** The source that the Application names itself. */
function ownSource(application: Application): SourceUse[] {
  const source = sourceReference(application);
  if (source === undefined || !backendFor(application).usesOwnSource(application)) return [];
  const ref = { ...source, namespace: source.namespace ?? '' };
  return [{ ref, path: inlineOf(application) === undefined ? `${SOURCE_PATH}.sourceRef` : INLINE_PATH }];
}

/** An entry whose template cannot be used reads nothing. */
function sourcesOf(application: Application, found: ReadonlyMap<string, FoundTemplate>): SourceUse[] {
  const all = [...found].map(([path, template]) => sourceOfTemplate(path, template));
  return uniqBy([...ownSource(application), ...all], ({ ref }) => `${ref.kind}/${keyOf(ref)}`);
}

/**
 * Finds the templates of an Application and lays them under its entries. A valid Application is assumed. Never throws.
 */
export function resolveTemplates(application: Application, view: TemplateView, rules: Rules): Resolution {
  const found = new Map<string, FoundTemplate>();
  const violations = new Map<string, Violation>();
  const inUse: TemplateInUse[] = [];
  let helm: FoundTemplate | undefined;
  for (const use of templateUses(application)) {
    const lookup = findTemplate({ use, view, rules });
    if (lookup === 'pending') return lookup;
    if ('violation' in lookup) {
      if (use.entryPath === undefined) return lookup;
      inUse.push(...stillInUse(application, use));
      violations.set(use.entryPath, lookup.violation);
      continue;
    }
    inUse.push(lookup.inUse);
    found.set(use.path, lookup);
    if (use.entryPath === undefined) helm = lookup;
  }
  return {
    application: backendFor(application).withTemplates(application, found),
    inUse: distinctTemplates(inUse),
    templateOf: ({ specPath }) => helm ?? found.get(`${specPath}.template`),
    helm,
    violations,
    warning: sourceWarning(application, helm),
    sources: sourcesOf(application, found),
  };
}

const MAX_PROBLEMS = 3;
/** Problems that only say that something is missing, which may come from `valuesFrom`. */
const MISSING = ['required', 'dependentRequired', 'dependencies', 'minProperties', 'anyOf', 'oneOf', 'if'];

/** Values to check against the schema of a template. */
export interface ValuesQuestion {
  readonly schema: Readonly<Record<string, unknown>>;
  /** One for each entry. */
  readonly values: readonly unknown[];
}

/** A null takes a value away before the chart sees it. */
export function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field)]));
}

/** The question about entries whose template has a schema; undefined when there is nothing to ask. */
export function valuesQuestion(
  entries: readonly Entry[],
  template: FoundTemplate | undefined,
): ValuesQuestion | undefined {
  const schema = template === undefined ? undefined : helmSpecOf(template.spec)?.valuesSchema;
  if (schema === undefined) return undefined;
  return { schema, values: entries.map(({ fields }) => withoutNulls(fields['values'] ?? {})) };
}

function problemText(entry: Entry, { path, message }: SchemaProblem): string {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return `${entry.path}.values${dot}${path}: ${message}`;
}

function violationOf(entry: Entry, problems: readonly SchemaProblem[], object: string): Violation | undefined {
  const isOpen = Array.isArray(entry.fields['valuesFrom']) && entry.fields['valuesFrom'].length > 0;
  const counting = problems.filter(({ keyword }) => !isOpen || !MISSING.includes(keyword));
  if (counting.length === 0) return undefined;
  const texts = counting.slice(0, MAX_PROBLEMS).map((problem) => problemText(entry, problem));
  return { reason: 'ValuesInvalid', message: `${texts.join('; ')} (schema of ${object})` };
}

/**
 * Violations of values of entries against the schema of their template, by the path of the entry, when `result` is the
 * answer to `valuesQuestion`. With `valuesFrom` nothing counts as missing; a schema that cannot be used is a violation
 * of all of them.
 */
export function valuesViolations(
  entries: readonly Entry[],
  template: FoundTemplate,
  result: SchemaResult,
): ReadonlyMap<string, Violation> {
  const object = describeObject(template.inUse.kind, template.inUse);
  const violations = entries.flatMap((entry, index): [string, Violation][] => {
    const violation: Violation | undefined =
      'problem' in result
        ? { reason: 'TemplateInvalid', message: `${object} cannot be used: spec.valuesSchema: ${result.problem}` }
        : violationOf(entry, result.problems[index] ?? [], object);
    return violation === undefined ? [] : [[entry.path, violation]];
  });
  return new Map(violations);
}
