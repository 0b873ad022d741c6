/** The part of a URL behind its path, without what is empty; empty if nothing is left. */
export function queryText(texts: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== '')).toString();
  return params === '' ? '' : `?${params}`;
}

/** What the page of templates shows; it is kept in its URL, in the words of the server's own queries. */
export interface TemplateQuery {
  /** Part of a name, or of the name of a chart. */
  readonly search: string;
  /** HelmTemplate or KustomizationTemplate; empty: both. */
  readonly kind: string;
  /** Ready, Stalled or Pending; empty: all. */
  readonly state: string;
  /** A key that the server sorts by, with a leading - to descend. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

export const ALL_TEMPLATES: TemplateQuery = { search: '', kind: '', state: '', sort: 'name', page: 1 };

export const TEMPLATE_SORTS = [
  ['name', 'Name'],
  ['namespace', 'Namespace'],
  ['-usedBy', 'Most used'],
  ['-createdAt', 'Newest'],
  ['state', 'State'],
] as const;

/** Templates of a page. */
const PAGE_SIZE = 50;

/** More is no name. */
const MOST_CHARACTERS = 512;
const WORD = /^[A-Za-z]*$/;

/** Of the part of a URL behind `?`. What it does not know, it ignores: a link of another version still works. */
export function templateQueryOf(search: string): TemplateQuery {
  const params = new URLSearchParams(search);
  const textOf = (key: string): string => (params.get(key) ?? '').slice(0, MOST_CHARACTERS);
  const wordOf = (key: string): string => (WORD.test(textOf(key)) ? textOf(key) : '');
  const page = /^[1-9]\d{0,5}$/.test(textOf('page')) ? Number(textOf('page')) : 1;
  const sort = TEMPLATE_SORTS.find(([key]) => key === textOf('sort'))?.[0] ?? ALL_TEMPLATES.sort;
  return { search: textOf('search'), kind: wordOf('kind'), state: wordOf('state'), sort, page };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function templateSearchOf({ search, kind, state, sort, page }: TemplateQuery): string {
  const asked = { search, kind, state, sort: sort === ALL_TEMPLATES.sort ? '' : sort };
  return queryText({ ...asked, page: page === 1 ? '' : String(page) });
}

/** Where the server has them. */
export function templatesPath({ search, kind, state, sort, page }: TemplateQuery): string {
  const fields = Object.entries({ kind, state }).filter(([, value]) => value !== '');
  const fieldSelector = fields.map(([field, value]) => `${field}=${value}`).join(',');
  return `/api/v1/templates${queryText({ search, fieldSelector, sort, page: String(page), limit: String(PAGE_SIZE) })}`;
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
