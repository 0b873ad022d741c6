import type { Application } from '#api/v1alpha1/application.js';
import { viewOf, type ApplicationView } from '#controllers/read-model/application-view.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import { parseSelector } from '#controllers/runtime/pure/label-selector.js';
import type { QueryString } from './list-query.js';
import { Refusal } from './refusal.js';

type Test = (application: Application) => boolean;

/** Which Applications of a list are wanted, and which page of them. */
export interface ApplicationQuery {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  /** A key of SORTS. */
  readonly sort: string;
  readonly isDescending: boolean;
  /** All must hold. */
  readonly tests: readonly Test[];
}

export interface Selected {
  /** Those of the page. */
  readonly items: readonly Application[];
  /** Of all pages. */
  readonly total: number;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
const MAX_PAGE = 1_000_000;
const MAX_TEXT = 4_096;
const NAMED = 20;
/** Each is asked of every Application. */
const MOST_REQUIREMENTS = 20;

const views = new WeakMap<Application, ApplicationView>();

/** The view of an Application, derived once: what is cached does not change. */
export function cachedView(application: Application): ApplicationView {
  const view = views.get(application) ?? viewOf(application);
  views.set(application, view);
  return view;
}

/** What a field selector may name; a field with several values is equal to each of them. */
const FIELDS: Readonly<Record<string, (application: Application) => readonly string[]>> = {
  'metadata.name': ({ metadata }) => [metadata.name],
  'metadata.namespace': ({ metadata }) => [metadata.namespace ?? ''],
  kind: (application) => [cachedView(application).kind],
  state: (application) => [cachedView(application).state],
  reason: (application) => [cachedView(application).reason],
  cluster: (application) => cachedView(application).destinations.map(({ cluster }) => cluster),
};

const SORTS: Readonly<Record<string, (application: Application) => string>> = {
  name: ({ metadata }) => metadata.name,
  namespace: ({ metadata }) => metadata.namespace ?? '',
  state: (application) => cachedView(application).state,
  createdAt: ({ metadata }) => metadata.creationTimestamp ?? '',
};

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

function labelTest(text: string): Test {
  try {
    const matches = parseSelector(text);
    return ({ metadata }) => matches(metadata.labels ?? {});
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(400, `labelSelector: ${why}`, { cause });
  }
}

const REQUIREMENT = /^([^=!]+)(==?|!=)([^=!]*)$/;

function fieldTest(requirement: string): Test {
  const [, field = '', operator, wanted = ''] = REQUIREMENT.exec(requirement) ?? [];
  if (operator === undefined) refuse(`fieldSelector: write FIELD=VALUE or FIELD!=VALUE, separated by commas`);
  const valuesOf = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  const known = listed(Object.keys(FIELDS), NAMED);
  if (valuesOf === undefined) refuse(`fieldSelector: ${JSON.stringify(field)} is no field of it; choose from ${known}`);
  const isEqual: Test = (application) => valuesOf(application).includes(wanted);
  return operator === '!=' ? (application) => !isEqual(application) : isEqual;
}

function testsOf(query: QueryString): Test[] {
  const [labels, fields, search] = (['labelSelector', 'fieldSelector', 'search'] as const).map((key) =>
    textOf(query, key),
  ) as [string, string, string];
  const requirements = fields.split(',').filter((each) => each !== '');
  if (requirements.length > MOST_REQUIREMENTS)
    refuse(`fieldSelector: it has more than ${MOST_REQUIREMENTS} requirements`);
  return [
    ...(labels === '' ? [] : [labelTest(labels)]),
    ...requirements.map(fieldTest),
    ...(search === '' ? [] : [({ metadata }: Application) => metadata.name.includes(search)]),
  ];
}

/** Throws a Refusal (400) that names the key which nobody can read, or which does not exist. */
export function applicationQueryOf(query: QueryString): ApplicationQuery {
  const isKnown = (key: string): boolean => KEYS.some((each) => each === key);
  const odd = Object.keys(query).find((key) => !isKnown(key));
  if (odd !== undefined) refuse(`${JSON.stringify(odd)} is no key of this query; choose from ${listed(KEYS, NAMED)}`);
  const [, minus = '', sort = ''] = /^(-?)(.*)$/.exec(textOf(query, 'sort')) ?? [];
  const sorts = listed(Object.keys(SORTS), NAMED);
  if (sort !== '' && !Object.hasOwn(SORTS, sort)) refuse(`sort: choose from ${sorts}, with a leading - to descend`);
  return {
    page: numberOf(query, 'page', { most: MAX_PAGE, otherwise: 1 }),
    limit: numberOf(query, 'limit', { most: MAX_LIMIT, otherwise: DEFAULT_LIMIT }),
    sort: sort === '' ? 'name' : sort,
    isDescending: minus === '-',
    tests: testsOf(query),
  };
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** What decides the place of an Application, besides its name and namespace, in lists of this order. */
export function sortKeyOf(application: Application, sort: string): string {
  return SORTS[sort]?.(application) ?? '';
}

/** A new list, ascending: by the key of a query, then by name and namespace, so that pages never overlap. */
export function sortedBy(applications: readonly Application[], sort: string): Application[] {
  const keys = [SORTS[sort] ?? SORTS['name'], SORTS['name'], SORTS['namespace']].filter((key) => key !== undefined);
  const compare = (left: Application, right: Application): number => {
    for (const key of keys) {
      const order = compareTexts(key(left), key(right));
      if (order !== 0) return order;
    }
    return 0;
  };
  return [...applications].sort(compare);
}

/** The page that was asked for, of Applications that are sorted as it says; one past the end is empty. */
export function selectFrom(sorted: readonly Application[], query: ApplicationQuery): Selected {
  const { page, limit, tests, isDescending } = query;
  const found = tests.length === 0 ? sorted : sorted.filter((each) => tests.every((test) => test(each)));
  const total = found.length;
  const offset = (page - 1) * limit;
  if (!isDescending) return { items: found.slice(offset, offset + limit), total };
  return { items: found.slice(Math.max(0, total - offset - limit), Math.max(0, total - offset)).reverse(), total };
}
