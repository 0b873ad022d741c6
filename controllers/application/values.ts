import groupBy from 'lodash/groupBy.js';
import type { Deps } from './deps.js';
import type { Evaluated } from './evaluate-values.js';
import {
  celCluster,
  composed,
  type Composed,
  gateOf,
  readyText,
  withResults,
} from './model/destinations/personal-values.js';
import { valuesQuestion, valuesViolations } from './model/destinations/template-use.js';
import { missingKeys, type TemplateContext, templateProblem } from './model/destinations/values-template.js';
import type { Layer } from './model/child/layers.js';
import type { Entry, Violation } from './model/child/types.js';
import { type Valid, withViolations } from './model/destinations/validate.js';
import type { Rendered } from './rendered-values.js';
import { contextsOf } from './template-contexts.js';
import { listed } from '../runtime/pure/listed.js';

/** Warnings of one Application. */
const SHOWN = 5;

/** What making values needs. */
export type PersonalizeDeps = Pick<Deps, 'renderValues' | 'readReferences' | 'evaluateValues' | 'admit'>;

interface Pass {
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** Entries on clusters, as far as they got, and what became of the others. */
interface Work {
  readonly entries: readonly Entry[];
  readonly problems: Map<string, Violation>;
  readonly warnings: string[];
  retryAfterMs: number | undefined;
}

function refuse(work: Work, { path }: Entry, problem: string): void {
  work.problems.set(path, { reason: 'ValuesInvalid', message: `${path}.${problem}` });
}

function repeatAfter(work: Work, retryAfterMs: number | undefined): void {
  if (retryAfterMs !== undefined) work.retryAfterMs = Math.min(work.retryAfterMs ?? Infinity, retryAfterMs);
}

/** An entry on a cluster, and what its template reads of that. */
interface Ready {
  readonly entry: Entry;
  readonly context: TemplateContext;
}

/**
 * Warns of keys that the template prints and clusters lack. Clusters whose values were rejected have a problem instead.
 */
function warnOfMissing(work: Work, text: string, ready: readonly Ready[], rendered: readonly Rendered[]): void {
  const clustersOf = new Map<string, string[]>();
  for (const [index, { entry, context }] of ready.entries()) {
    if (!('values' in (rendered[index] ?? {}))) continue;
    for (const key of missingKeys(text, context))
      clustersOf.set(key, [...(clustersOf.get(key) ?? []), entry.clusterName]);
  }
  const specPath = ready[0]?.entry.specPath ?? '';
  for (const [key, clusters] of clustersOf)
    work.warnings.push(`${specPath}.valuesTemplate: ${key} is empty on ${listed(clusters, SHOWN)}`);
}

/** Adds to a problem the keys that the template prints and the cluster lacks. */
function withKeys(rendered: Rendered = { problem: 'it is lost' }, text: string, { entry, context }: Ready): Rendered {
  if ('values' in rendered || rendered.lacksKey !== true) return rendered;
  const keys = missingKeys(text, context);
  const lack = keys.length === 0 ? 'lacks a key that the template reads' : `has no ${listed(keys, SHOWN)}`;
  const problem = `${rendered.problem}: cluster ${entry.clusterName} ${lack}: add it, or write "| default" in the template`;
  return { ...rendered, problem };
}

type EntryRendered = readonly [entry: Entry, rendered: Rendered];

interface Text {
  readonly text: string;
  readonly entries: readonly Entry[];
}

async function renderText(
  work: Work,
  { text, entries }: Text,
  deps: PersonalizeDeps,
  pass: Pass,
): Promise<EntryRendered[]> {
  const problem = templateProblem(text);
  if (problem !== undefined) return entries.map((entry) => [entry, { problem }]);
  const onClusters = entries.flatMap((entry) =>
    entry.cluster === undefined ? [] : [{ entry, cluster: entry.cluster }],
  );
  const clusters = onClusters.map(({ cluster }) => cluster);
  const contexts = await contextsOf(text, clusters, deps.readReferences, pass);
  const ready: Ready[] = [];
  const refused: EntryRendered[] = [];
  for (const [index, { entry }] of onClusters.entries()) {
    const found = contexts[index] ?? { problem: 'it is lost' };
    repeatAfter(work, found.retryAfterMs);
    if ('context' in found) ready.push({ entry, context: found.context });
    else refused.push([entry, found]);
  }
  const contextsToRender = ready.map(({ context }) => context);
  const rendered = await deps.renderValues(text, contextsToRender, pass);
  warnOfMissing(work, text, ready, rendered);
  return [...refused, ...ready.map((each, index) => [each.entry, withKeys(rendered[index], text, each)] as const)];
}

/** What the templates of entries render to; those that fail are refused. */
async function renderTemplates(work: Work, deps: PersonalizeDeps, pass: Pass): Promise<ReadonlyMap<Entry, Layer>> {
  const found = new Map<Entry, Layer>();
  const withTemplate = work.entries.filter(({ values }) => values?.valuesTemplate !== undefined);
  for (const [text, entries] of Object.entries(groupBy(withTemplate, ({ values }) => values?.valuesTemplate))) {
    for (const [entry, rendered] of await renderText(work, { text, entries }, deps, pass)) {
      if ('values' in rendered) {
        found.set(entry, rendered.values);
        continue;
      }
      refuse(work, entry, `valuesTemplate: ${rendered.problem}`);
      repeatAfter(work, rendered.retryAfterMs);
    }
  }
  return found;
}

/** The values of entries, with their expressions evaluated; those that fail are refused. */
async function evaluateAll(
  work: Work,
  values: ReadonlyMap<Entry, Composed>,
  deps: PersonalizeDeps,
  { tenant }: Pass,
): Promise<ReadonlyMap<Entry, unknown>> {
  const found = new Map([...values].map(([entry, each]) => [entry, each.values]));
  const open = [...values].filter(([, { texts }]) => texts.length > 0);
  const questions = open.map(([{ cluster }, { texts }]) => ({
    texts,
    cluster: cluster === undefined ? {} : celCluster(cluster),
  }));
  const results = await deps.evaluateValues(questions, tenant);
  for (const [index, [entry, each]] of open.entries()) {
    const result: Evaluated = results[index] ?? { problem: 'values: they are lost' };
    repeatAfter(work, result.retryAfterMs);
    if ('problem' in result) refuse(work, entry, result.problem);
    else found.set(entry, withResults(each, result.values));
  }
  return found;
}

/** The entries of an Application with the values of their clusters. */
export interface Personalized {
  readonly valid: Valid;
  /** What templates rendered to, by the paths of entries. */
  readonly rendered: ReadonlyMap<string, Layer>;
  /** When to try again what could not be made. */
  readonly retryAfterMs: number | undefined;
}

/** Makes the values of the entries of an Application, each for its cluster. */
export async function personalize(valid: Valid, deps: PersonalizeDeps, pass: Pass): Promise<Personalized> {
  await deps.admit?.(valid.entries);
  const entries = valid.entries.filter((entry) => entry.values !== undefined && valid.violationOf(entry) === undefined);
  const work: Work = { entries, problems: new Map(), warnings: [], retryAfterMs: undefined };
  const made = await renderTemplates(work, deps, pass);
  const rendered = new Map([...made].map(([entry, values]) => [entry.path, values]));
  const layered = new Map<Entry, Composed>();
  for (const entry of entries) {
    if (entry.values === undefined || work.problems.has(entry.path)) continue;
    const values = composed(entry.values, rendered.get(entry.path));
    if (values !== undefined) layered.set(entry, values);
  }
  if (layered.size === 0 && work.problems.size === 0) return { valid, rendered, retryAfterMs: work.retryAfterMs };
  const values = await evaluateAll(work, layered, deps, pass);
  const all = valid.entries.map((entry) =>
    values.has(entry) ? { ...entry, fields: { ...entry.fields, values: values.get(entry) } } : entry,
  );
  const more = work.warnings.slice(0, SHOWN);
  const warnings = [...valid.warnings, ...more];
  return {
    valid: withViolations({ ...valid, entries: all, warnings }, work.problems),
    rendered,
    retryAfterMs: work.retryAfterMs,
  };
}

/** Dependencies of making and checking values. */
export interface ValuesDeps extends PersonalizeDeps, Pick<Deps, 'checkSchema'> {}

/** The entries of an Application of `tenant` with their values, which the schema of their template allows. */
export async function withValues(
  validation: Valid,
  deps: ValuesDeps,
  pass: { readonly tenant: string; readonly signal: AbortSignal },
): Promise<Personalized> {
  const made = await personalize(validation, deps, pass);
  return { ...made, valid: await withSchemaChecked(made.valid, deps, pass.tenant) };
}

async function withSchemaChecked(valid: Valid, { checkSchema }: ValuesDeps, tenant: string): Promise<Valid> {
  const { entries, resolved } = valid;
  const question = valuesQuestion(entries, resolved.helm);
  if (question === undefined || resolved.helm === undefined) return valid;
  const result = await checkSchema(question, tenant);
  return withViolations(valid, valuesViolations(entries, resolved.helm, result));
}

/** The entries with what their `ready` says of their clusters. */
export async function withGates(valid: Valid, { evaluateValues }: Deps, tenant: string): Promise<Valid> {
  const open = valid.entries.flatMap((entry) => {
    const { cluster, ready } = entry;
    if (cluster === undefined || ready === undefined || valid.violationOf(entry) !== undefined) return [];
    return [{ entry, texts: [readyText(ready)], cluster: celCluster(cluster) }];
  });
  if (open.length === 0) return valid;
  const results = await evaluateValues(open, tenant);
  const gates = new Map<Entry, Entry['gate']>(
    open.map(({ entry }, index) => [entry, gateOf(entry, results[index] ?? { problem: 'there is no result' })]),
  );
  return { ...valid, entries: valid.entries.map((entry) => ({ ...entry, gate: gates.get(entry) })) };
}
