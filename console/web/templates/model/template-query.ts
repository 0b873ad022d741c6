import {
  type ListPage,
  listPageIn,
  listPageTexts,
  listQuery,
  queryText,
  textsIn,
  wordIn,
} from '../../navigation/model/query.js';

/** The filters of the page of templates; the URL keeps them, in the words of the server's own queries. */
export interface TemplateQuery extends ListPage {
  /** Part of a name, or of the name of a chart. */
  readonly search: string;
  /** HelmTemplate or KustomizationTemplate; empty: both. */
  readonly kind: string;
  /** Ready, Stalled or Pending; empty: all. */
  readonly state: string;
}

export const ALL_TEMPLATES: TemplateQuery = { search: '', kind: '', state: '', sort: 'name', page: 1 };

export const TEMPLATE_SORTS = [
  ['name', 'Name'],
  ['namespace', 'Namespace'],
  ['-usedBy', 'Most used'],
  ['-createdAt', 'Newest'],
  ['state', 'State'],
] as const;

/** Reads the query of a URL, without `?`. */
export function templateQueryOf(search: string): TemplateQuery {
  const { search: text, kind, state } = textsIn(search, ['search', 'kind', 'state']);
  return { search: text, kind: wordIn(kind), state: wordIn(state), ...listPageIn(search, TEMPLATE_SORTS) };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function templateSearchOf(query: TemplateQuery): string {
  const { search, kind, state } = query;
  return queryText({ search, kind, state, ...listPageTexts(query, TEMPLATE_SORTS) });
}

/** Where the server has them. */
export function templatesPath({ search, kind, state, ...page }: TemplateQuery): string {
  return `/api/v1/templates${listQuery(page, { kind, state }, { search })}`;
}

/** Which template is meant. */
export interface TemplateNames {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** Its path in the API. */
export function templateApiPath({ namespace, kind, name }: TemplateNames): string {
  const [ofNamespace, ofKind, ofName] = [namespace, kind, name].map(encodeURIComponent);
  return `/api/v1/namespaces/${ofNamespace}/templates/${ofKind}/${ofName}`;
}

/** Where the Helm template is that an Application names, in the order in which the controller looks. */
export function usedTemplatePaths({ namespace, template }: { readonly namespace: string; readonly template: string }) {
  const [named = '', revision] = template.split('@');
  const [name = '', other] = named.split('/').reverse();
  if (namespace === '' || name === '') return [];
  const names = other === undefined ? [name, `${namespace}-${name}`] : [name];
  const below = revision === undefined ? '' : `/revisions/${encodeURIComponent(revision)}`;
  const paths = names.map((each) =>
    templateApiPath({ namespace: other ?? namespace, kind: 'HelmTemplate', name: each }),
  );
  return paths.map((path) => `${path}${below}`);
}
