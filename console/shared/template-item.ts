import type {
  RevisionAnswer,
  TemplateAnswer,
  TemplateItem,
  TemplateUser,
  TemplateView,
} from '#queries/answers/templates.js';
import type { ObjectRef } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import {
  type RevisionSpec,
  revisionSpecOf,
  type Template,
  type TemplateRevision,
  templatesInUse,
} from '#api/v1alpha1/template.js';
import { cut, listed } from '#lib/text/text.js';
import { revisionsUsedBy, templateDifferences, templateView } from '#queries/views/template-view.js';
import { itemOf } from './application-detail.js';
import { type QueryString, refuseOtherKeys } from './list-query.js';
import { type Listing, type PageQuery, pageQueryOf, sortedBy } from './page-query.js';
import { Refusal } from './refusal.js';

/** Names, and characters of a text, that an item of a list has; a page with hundreds of them stays small. */
const MOST_SHARED = 20;
const MOST_CHARACTERS = 1_000;
const NAMED = 20;
const MOST_DIFFERENCES = 500;

const views = new WeakMap<Template, TemplateView>();

/** Derived once: what is cached does not change. */
function cachedView(template: Template): TemplateView {
  const view = views.get(template) ?? templateView(template);
  views.set(template, view);
  return view;
}

const LISTING: Listing<Template> = {
  fields: {
    'metadata.name': ({ metadata }) => [metadata.name],
    'metadata.namespace': ({ metadata }) => [metadata.namespace ?? ''],
    kind: ({ kind }) => [kind],
    state: (template) => [cachedView(template).state],
    chart: (template) => [cachedView(template).chart],
  },
  sorts: {
    name: ({ metadata }) => metadata.name,
    namespace: ({ metadata }) => metadata.namespace ?? '',
    kind: ({ kind }) => kind,
    state: (template) => cachedView(template).state,
    createdAt: ({ metadata }) => metadata.creationTimestamp ?? '',
    usedBy: (template) => String(cachedView(template).usedBy).padStart(12, '0'),
  },
  labels: ({ metadata }) => metadata.labels ?? {},
  texts: (template) => [template.metadata.name, cachedView(template).chart],
};

/** Throws a Refusal (400) that names the key which nobody can read, or which does not exist. */
export function templateQueryOf(query: QueryString): PageQuery<Template> {
  return pageQueryOf(query, LISTING);
}

/** A new list, ascending by the key of a query. */
export function templatesBy(templates: readonly Template[], sort: string): Template[] {
  return sortedBy(templates, sort, LISTING);
}

/** As a list has it: long texts are shortened. */
export function templateItem(template: Template): TemplateItem {
  const view = cachedView(template);
  const { uid = '', labels = {} } = template.metadata;
  const sharedWith = view.sharedWith.slice(0, MOST_SHARED).map((name) => cut(name, MOST_CHARACTERS));
  const moreSharedWith = view.sharedWith.length - sharedWith.length;
  return { ...view, message: cut(view.message, MOST_CHARACTERS), sharedWith, moreSharedWith, uid, labels };
}

export function templateAnswer(template: Template): TemplateAnswer {
  const { metadata, spec, status } = template;
  const { uid = '', labels = {}, resourceVersion = '', annotations = {} } = metadata;
  const chartVersion = (status !== undefined && 'chartVersion' in status && status.chartVersion) || '';
  return {
    ...cachedView(template),
    ...{ uid, labels, moreSharedWith: 0, resourceVersion, annotations, spec, chartVersion },
    conditions: status?.conditions ?? [],
  };
}

/** Where Applications that use a template are in an index. */
export function templateKey(kind: string, { namespace = '', name }: ObjectRef): string {
  return [kind, namespace, name].join('/');
}

/** Where an Application is in it. Never throws. */
export function templateKeysOf({ status }: Application): string[] {
  return [...new Set(templatesInUse(status).map((used) => templateKey(used.kind, used)))];
}

export function templateUser(application: Application, template: Template): TemplateUser {
  const revisions = revisionsUsedBy(application, template);
  return { ...itemOf(application), templateRevisions: [...revisions].sort((one, other) => one - other) };
}

/** The number of a revision in the URL. Throws a Refusal (404) for any other text. */
export function revisionNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal(404, 'not found');
}

/** With which revision to compare; undefined: the one before. Throws a Refusal (400). */
export function comparedWith(query: QueryString): number | undefined {
  refuseOtherKeys(query, ['from']);
  const { from } = query;
  if (from === undefined) return undefined;
  if (typeof from === 'string' && /^[1-9]\d{0,14}$/.test(from)) return Number(from);
  throw new Refusal(400, 'from: it must be the number of a revision');
}

/** Throws a Refusal (404) that names what is kept. */
export function specAt(kept: readonly TemplateRevision[], number: number): RevisionSpec {
  const found = kept.find(({ revision }) => revision === number);
  const spec = found && revisionSpecOf(found);
  if (spec !== undefined) return spec;
  const numbers = kept.map(({ revision }) => String(revision));
  const others = numbers.length === 0 ? 'none is' : `kept are ${listed(numbers, NAMED)}`;
  throw new Refusal(404, `revision ${number} is not kept: ${others}`);
}

/** `kept` has the newest first. Throws a Refusal (404) if one of the two is not kept. */
export function revisionAnswer(
  kept: readonly TemplateRevision[],
  number: number,
  from: number | undefined,
): RevisionAnswer {
  const spec = specAt(kept, number);
  const before = from ?? kept.find(({ revision }) => revision < number)?.revision;
  const differences = before === undefined ? [] : templateDifferences(specAt(kept, before), spec);
  return {
    revision: number,
    createdAt: kept.find(({ revision }) => revision === number)?.metadata.creationTimestamp ?? '',
    from: before ?? 0,
    spec,
    differences: differences.slice(0, MOST_DIFFERENCES),
    moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
  };
}
