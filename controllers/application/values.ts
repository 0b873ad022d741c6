import groupBy from 'lodash/groupBy.js';
import { listed } from '#lib/text/text.js';
import type { Cluster } from '../cluster/model/cluster.js';
import type { Deps } from './deps.js';
import type { Evaluate, Problem, Question, Result, ValuesPass } from './evaluators/evaluator.js';
import { templateFacts } from './evaluators/template-facts.js';
import type { Layer } from './model/child/layers.js';
import type { Entry, ValuesLayers, Violation } from './model/child/types.js';
import {
  celCluster,
  type Composed,
  createCompose,
  gateOf,
  readyText,
  withResults,
} from './model/destinations/personal-values.js';
import { valuesQuestion, valuesViolations } from './model/destinations/template-use.js';
import { type Valid, withViolations } from './model/destinations/validate.js';
import {
  missingKeys,
  type TemplateContext,
  templateContext,
  templateProblem,
} from './model/destinations/values-template.js';

/** Warnings of one Application. */
const SHOWN = 5;
const LOST: Problem = { problem: 'there is no result' };

/** What making values needs. */
export type PersonalizeDeps = Pick<Deps, 'evaluators' | 'readReferences' | 'admit'>;

/** An entry whose values differ from cluster to cluster. */
type Personal = Entry & { readonly cluster: Cluster; readonly values: ValuesLayers };

/** The question about an entry, or why there is none. */
type Asked<Source> = ({ readonly question: Question<Source> } | { readonly problem: string }) & {
  readonly entry: Personal;
  readonly retryAfterMs?: number | undefined;
};

/** The results of making values, besides them. */
interface Work {
  readonly problems: Map<string, Violation>;
  readonly warnings: string[];
  retryAfterMs: number | undefined;
}

interface Context {
  readonly work: Work;
  readonly deps: PersonalizeDeps;
  readonly pass: ValuesPass;
}

function repeatAfter(work: Work, retryAfterMs: number | undefined): void {
  if (retryAfterMs !== undefined) work.retryAfterMs = Math.min(work.retryAfterMs ?? Infinity, retryAfterMs);
}

/** The results for entries; those for which there is none are refused. `describe` says in which field. */
async function evaluated<Source, Values>(
  evaluate: Evaluate<Source, Values>,
  asked: readonly Asked<Source>[],
  { work, pass }: Context,
  describe: (asked: Asked<Source>, problem: Problem) => string,
): Promise<ReadonlyMap<Entry, Values>> {
  const questions = asked.flatMap((each) => ('question' in each ? [each.question] : []));
  const results = questions.length === 0 ? [] : await evaluate(questions, pass);
  const next = results.values();
  const found = new Map<Entry, Values>();
  for (const each of asked) {
    const result: Result<Values> = 'question' in each ? (next.next().value ?? LOST) : { problem: each.problem };
    const { path } = each.entry;
    repeatAfter(work, each.retryAfterMs);
    if ('values' in result) found.set(each.entry, result.values);
    else {
      work.problems.set(path, { reason: 'ValuesInvalid', message: `${path}.${describe(each, result)}` });
      repeatAfter(work, result.retryAfterMs);
    }
  }
  return found;
}

async function askTemplate(
  source: string,
  entries: readonly Personal[],
  { deps, pass }: Context,
): Promise<Asked<string>[]> {
  const problem = templateProblem(source);
  if (problem !== undefined) return entries.map((entry) => ({ entry, problem }));
  const clusters = entries.map(({ cluster }) => cluster);
  const found = await templateFacts(source, clusters, deps.readReferences, pass);
  return entries.map((entry, index) => {
    const { retryAfterMs, ...each } = found[index] ?? LOST;
    if ('problem' in each) return { entry, problem: each.problem, retryAfterMs };
    return { entry, question: { source, cluster: entry.cluster, facts: each.facts }, retryAfterMs };
  });
}

/** The keys that a template prints and the cluster lacks. */
function keysMissing({ source, cluster, facts }: Question<string>): string[] {
  return missingKeys(source, (facts as TemplateContext | undefined) ?? templateContext(cluster)); // see askTemplate
}

function templateFailure(asked: Asked<string>, { problem, lacksKey = false }: Problem): string {
  if (!lacksKey || !('question' in asked)) return `valuesTemplate: ${problem}`;
  const keys = keysMissing(asked.question);
  const lack = keys.length === 0 ? 'lacks a key that the template reads' : `has no ${listed(keys, SHOWN)}`;
  return `valuesTemplate: ${problem}: cluster ${asked.entry.clusterName} ${lack}: add it, or write "| default" in the template`;
}

/** Warns of keys that a template prints and clusters lack, unless their values were rejected for that. */
function warnOfMissing(work: Work, asked: readonly Asked<string>[], rendered: ReadonlyMap<Entry, Layer>): void {
  const open = asked.flatMap((each) => ('question' in each ? [each] : []));
  const clustersOf = new Map<string, string[]>();
  for (const { entry, question } of open) {
    if (!rendered.has(entry)) continue;
    for (const key of keysMissing(question)) clustersOf.set(key, [...(clustersOf.get(key) ?? []), entry.clusterName]);
  }
  const specPath = open[0]?.entry.specPath ?? '';
  for (const [key, clusters] of clustersOf)
    work.warnings.push(`${specPath}.valuesTemplate: ${key} is empty on ${listed(clusters, SHOWN)}`);
}

/** The results of the templates of entries: a layer of their values. */
async function renderTemplates(entries: readonly Personal[], context: Context): Promise<ReadonlyMap<Entry, Layer>> {
  const { work, deps } = context;
  const withText = entries.filter(({ values }) => values.valuesTemplate !== undefined);
  const texts: Asked<string>[][] = [];
  for (const [text, sharing] of Object.entries(groupBy(withText, ({ values }) => values.valuesTemplate)))
    texts.push(await askTemplate(text, sharing, context));
  const rendered = await evaluated(deps.evaluators.templates, texts.flat(), context, templateFailure);
  for (const asked of texts) warnOfMissing(work, asked, rendered);
  return rendered;
}

/** The values of entries, with their expressions evaluated. */
async function evaluateExpressions(
  layered: ReadonlyMap<Personal, Composed>,
  context: Context,
): Promise<ReadonlyMap<Entry, unknown>> {
  const open = [...layered].filter(([, { texts }]) => texts.length > 0);
  const asked = open.map(([entry, { texts }]) => ({ entry, question: { source: texts, cluster: entry.cluster } }));
  const { expressions } = context.deps.evaluators;
  const results = await evaluated(expressions, asked, context, (_, { problem }) => problem);
  return new Map(
    [...layered].map(([entry, composed]) => {
      const result = results.get(entry);
      return [entry, result === undefined ? composed.values : withResults(composed, result)] as const;
    }),
  );
}

/** The entries of an Application with the values of their clusters. */
export interface Personalized {
  readonly valid: Valid;
  /** What templates rendered to, by the paths of entries. */
  readonly rendered: ReadonlyMap<string, Layer>;
  /** When to try again what could not be made. */
  readonly retryAfterMs: number | undefined;
}

function isPersonal(entry: Entry): entry is Personal {
  return entry.cluster !== undefined && entry.values !== undefined;
}

/** Makes the values of the entries of an Application, each for its cluster: templates, layers, then expressions. */
export async function personalize(valid: Valid, deps: PersonalizeDeps, pass: ValuesPass): Promise<Personalized> {
  await deps.admit?.(valid.entries);
  const work: Work = { problems: new Map(), warnings: [], retryAfterMs: undefined };
  const context = { work, deps, pass };
  const entries = valid.entries.filter(isPersonal).filter((entry) => valid.violationOf(entry) === undefined);
  const made = await renderTemplates(entries, context);
  const compose = createCompose();
  const layered = new Map<Personal, Composed>();
  for (const entry of entries) {
    const values = work.problems.has(entry.path) ? undefined : compose(entry.values, made.get(entry));
    if (values !== undefined) layered.set(entry, values);
  }
  const values = await evaluateExpressions(layered, context);
  const rendered = new Map([...made].map(([entry, layer]) => [entry.path, layer]));
  const { problems, retryAfterMs } = work;
  if (values.size === 0 && problems.size === 0) return { valid, rendered, retryAfterMs };
  const all = valid.entries.map((entry) =>
    values.has(entry) ? { ...entry, fields: { ...entry.fields, values: values.get(entry) } } : entry,
  );
  const warnings = [...valid.warnings, ...work.warnings.slice(0, SHOWN)];
  return { valid: withViolations({ ...valid, entries: all, warnings }, problems), rendered, retryAfterMs };
}

/** Dependencies of making and checking values. */
export interface ValuesDeps extends PersonalizeDeps, Pick<Deps, 'checkSchema'> {}

/** The entries of an Application of `tenant` with their values, which the schema of their template allows. */
export async function withValues(validation: Valid, deps: ValuesDeps, pass: ValuesPass): Promise<Personalized> {
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
export async function withGates(
  valid: Valid,
  { evaluators }: Pick<Deps, 'evaluators'>,
  pass: ValuesPass,
): Promise<Valid> {
  const open = valid.entries.flatMap((entry) => {
    const { cluster, ready } = entry;
    if (cluster === undefined || ready === undefined || valid.violationOf(entry) !== undefined) return [];
    const facts = { ...celCluster(cluster), readiness: cluster.readiness.state };
    return [{ entry, question: { source: [readyText(ready)], cluster, facts } }];
  });
  if (open.length === 0) return valid;
  const results = await evaluators.expressions(
    open.map(({ question }) => question),
    pass,
  );
  const gates = new Map<Entry, Entry['gate']>(
    open.map(({ entry }, index) => [entry, gateOf(entry, results[index] ?? LOST)]),
  );
  return { ...valid, entries: valid.entries.map((entry) => ({ ...entry, gate: gates.get(entry) })) };
}
