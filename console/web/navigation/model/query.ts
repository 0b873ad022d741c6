/** More is no name. */
const MOST_CHARACTERS = 512;
const PAGE_SIZE = 50;

/** The part of a URL behind its path, without what is empty; empty if nothing is left. */
export function queryText(texts: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== '')).toString();
  return params === '' ? '' : `?${params}`;
}

/**
 * The texts of these keys, of the part of a URL behind `?`; empty for those that are missing. Other keys are ignored: a
 * link of another version still works.
 */
export function textsIn<K extends string>(search: string, keys: readonly K[], most = MOST_CHARACTERS) {
  const params = new URLSearchParams(search);
  const texts = keys.map((key) => [key, (params.get(key) ?? '').slice(0, most)] as const);
  // One for each key.
  return Object.fromEntries(texts) as Record<K, string>;
}

/** Which part of a list is shown. */
export interface ListPage {
  /** A key that the server sorts by, with a leading - to descend. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

type Sorts = readonly [usual: readonly [key: string, text: string], ...(readonly [key: string, text: string])[]];

export function listPageIn(search: string, sorts: Sorts): ListPage {
  const { sort, page } = textsIn(search, ['sort', 'page']);
  const [[usual]] = sorts;
  return {
    sort: sorts.some(([key]) => key === sort) ? sort : usual,
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
}

/** The texts of a page in a URL; those of the first one, in the usual order, are empty. */
export function listPageTexts({ sort, page }: ListPage, [[usual]]: Sorts) {
  return { sort: sort === usual ? '' : sort, page: page === 1 ? '' : String(page) };
}

/** The text if it is one word; else empty. */
export function wordIn(text: string): string {
  return /^[A-Za-z]*$/.test(text) ? text : '';
}

/** The query by which the server has a page of a list. `fields`: those that are selected by their values. */
export function listQuery({ sort, page }: ListPage, fields: Readonly<Record<string, string>>, others: object): string {
  const selected = Object.entries(fields).filter(([, value]) => value !== '');
  const fieldSelector = selected.map(([field, value]) => `${field}=${value}`).join(',');
  return queryText({ ...others, fieldSelector, sort, page: String(page), limit: String(PAGE_SIZE) });
}
