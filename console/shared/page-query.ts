import { listed } from '#lib/text/text.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import { type QueryString, refuseOtherKeys } from './list-query.js';
import { Refusal } from './refusal.js';

/** What can be asked of the items of a list. */
export interface Listing<T> {
  /** What a field selector may name; a field with several values is equal to each of them. */
  readonly fields: Readonly<Record<string, (item: T) => readonly string[]>>;
  readonly sorts: Readonly<Record<string, (item: T) => string>> & { readonly name: (item: T) => string };
  readonly labels: (item: T) => Readonly<Record<string, string>>;
  /** Texts of which `search` is a part. */
  readonly texts: (item: T) => readonly string[];
}

/** Which items of a list are wanted, and which page of them. */
export interface PageQuery<T> {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  /** A key of the sorts. */
  readonly sort: string;
  readonly isDescending: boolean;
  /** All must hold. */
  readonly tests: readonly ((item: T) => boolean)[];
  /** The same for queries of one kind with the same tests; empty if there are none. */
  readonly filter: string;
}

export interface Selected<T> {
  /** Those of the page. */
  readonly items: readonly T[];
  /** Of all pages. */
  readonly total: number;
}

/** A page of a list as it is answered. */
export interface Page<T> extends Selected<T> {
  readonly page: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
const MAX_PAGE = 1_000_000;
const MAX_TEXT = 4_096;
const NAMED = 20;
/** Each is asked of every item. */
const MOST_REQUIREMENTS = 20;

const KEYS = ['page', 'limit', 'sort', 'search', 'labelSelector', 'fieldSelector'] as const;
type Key = (typeof KEYS)[number];

function refuse(problem: string): never {
  throw new Refusal(400, problem);
}

function textOf(query: QueryString, key: Key): string {
  const value = query[key] ?? '';
  if (typeof value !== 'string') refuse(`${key}: it was sent ${value.length} times`);
  if (value.length > MAX_TEXT) refuse(`${key}: it has more than ${MAX_TEXT} characters`);
  return value;
}

function numberOf(query: QueryString, key: Key, { most, otherwise }: { most: number; otherwise: number }): number {
  const text = textOf(query, key);
  if (text === '') return otherwise;
  const value = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0;
  return value > 0 && value <= most ? value : refuse(`${key}: it must be a whole number from 1 to ${most}`);
}

function labelTest<T>(text: string, { labels }: Listing<T>): (item: T) => boolean {
  try {
    const matches = parseSelector(text);
    return (item) => matches(labels(item));
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(400, `labelSelector: ${why}`, { cause });
  }
}

const REQUIREMENT = /^([^=!]+)(==?|!=)([^=!]*)$/;

function fieldTest<T>(requirement: string, { fields }: Listing<T>): (item: T) => boolean {
  const [, field = '', operator, wanted = ''] = REQUIREMENT.exec(requirement) ?? [];
  if (operator === undefined) refuse(`fieldSelector: write FIELD=VALUE or FIELD!=VALUE, separated by commas`);
  const valuesOf = Object.hasOwn(fields, field) ? fields[field] : undefined;
  const known = listed(Object.keys(fields), NAMED);
  if (valuesOf === undefined) refuse(`fieldSelector: ${JSON.stringify(field)} is no field of it; choose from ${known}`);
  const isEqual = (item: T): boolean => valuesOf(item).includes(wanted);
  return operator === '!=' ? (item) => !isEqual(item) : isEqual;
}

function testsOf<T>(query: QueryString, listing: Listing<T>): Pick<PageQuery<T>, 'tests' | 'filter'> {
  const texts = (['labelSelector', 'fieldSelector', 'search'] as const).map((key) => textOf(query, key));
  const [labels, fields, search] = texts as [string, string, string];
  const requirements = fields.split(',').filter((each) => each !== '');
  if (requirements.length > MOST_REQUIREMENTS)
    refuse(`fieldSelector: it has more than ${MOST_REQUIREMENTS} requirements`);
  const tests = [
    ...(labels === '' ? [] : [labelTest(labels, listing)]),
    ...requirements.map((each) => fieldTest(each, listing)),
    ...(search === '' ? [] : [(item: T) => listing.texts(item).some((text) => text.includes(search))]),
  ];
  return { tests, filter: tests.length === 0 ? '' : JSON.stringify(texts) };
}

/** Throws a Refusal (400) that names the key which nobody can read, or which does not exist. */
export function pageQueryOf<T>(query: QueryString, listing: Listing<T>): PageQuery<T> {
  refuseOtherKeys(query, KEYS);
  const [, minus = '', sort = ''] = /^(-?)(.*)$/.exec(textOf(query, 'sort')) ?? [];
  const sorts = listed(Object.keys(listing.sorts), NAMED);
  if (sort !== '' && !Object.hasOwn(listing.sorts, sort))
    refuse(`sort: choose from ${sorts}, with a leading - to descend`);
  return {
    page: numberOf(query, 'page', { most: MAX_PAGE, otherwise: 1 }),
    limit: numberOf(query, 'limit', { most: MAX_LIMIT, otherwise: DEFAULT_LIMIT }),
    sort: sort === '' ? 'name' : sort,
    isDescending: minus === '-',
    ...testsOf(query, listing),
  };
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** What tells items of one name apart, so that pages never overlap. */
const TIES = ['name', 'namespace', 'kind'];

/** Ascending: by the key of a query, then by name, namespace and kind. */
export function compareBy<T>(sort: string, { sorts }: Listing<T>): (left: T, right: T) => number {
  const keys = [sort, ...TIES].flatMap((key) => sorts[key] ?? []);
  return (left, right) => {
    for (const key of keys) {
      const order = compareTexts(key(left), key(right));
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** A new list in this order. */
export function sortedBy<T>(items: readonly T[], sort: string, listing: Listing<T>): T[] {
  return [...items].sort(compareBy(sort, listing));
}

/** Those that a query wants, of all its pages. */
export function matching<T>(sorted: readonly T[], { tests }: Pick<PageQuery<T>, 'tests'>): readonly T[] {
  return tests.length === 0 ? sorted : sorted.filter((each) => tests.every((test) => test(each)));
}

/** The page that was asked for, of items that are sorted as it says; one past the end is empty. */
export function selectFrom<T>(sorted: readonly T[], query: PageQuery<T>): Selected<T> {
  return sliceOf(matching(sorted, query), query);
}

/** The same of items that are all wanted. */
export function sliceOf<T>(found: readonly T[], query: PageQuery<T>): Selected<T> {
  const { page, limit, isDescending } = query;
  const total = found.length;
  const offset = (page - 1) * limit;
  if (!isDescending) return { items: found.slice(offset, offset + limit), total };
  return { items: found.slice(Math.max(0, total - offset - limit), Math.max(0, total - offset)).reverse(), total };
}

/** The same as it is answered. */
export function pageFrom<T, A>(sorted: readonly T[], query: PageQuery<T>, answerOf: (item: T) => A): Page<A> {
  const { items, total } = selectFrom(sorted, query);
  return { items: items.map(answerOf), total, page: query.page, limit: query.limit };
}
