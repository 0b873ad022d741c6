import type { Application } from '#api/v1alpha1/application.js';
import { HEALTH_LABEL, SYNC_LABEL } from '#api/v1alpha1/labels.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import { Refusal } from './refusal.js';
import { listed } from '#lib/text/text.js';

/** As `parse` of the query string gives it: a key that was sent several times has a list. */
export type QueryString = Readonly<Record<string, string | string[] | undefined>>;

type Test = (application: Application) => boolean;

/** What a list is asked for. Source of all its rules: `pkg/apiserver/query` of KubeSphere. */
export interface ListQuery {
  /** -1: all. */
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  readonly sortBy: string;
  readonly isAscending: boolean;
  /** All must hold. */
  readonly tests: readonly Test[];
}

export interface ListAnswer {
  readonly items: readonly Application[];
  /** Of all pages. */
  readonly totalItems: number;
}

const ALL = -1;
/** Of a filter, which is asked of every Application. */
const MAX_TEXT = 4_096;
const TRUE: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True'];
/** On an object: the name that its users gave it. */
const ALIAS_ANNOTATION = 'kubesphere.io/alias-name';

function annotated(application: Application, key: string): string {
  return application.metadata.annotations?.[key] ?? '';
}

/** A selector that nobody can read matches nothing there. */
function selectorTest(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  try {
    return parseSelector(text);
  } catch {
    return () => false;
  }
}

function readableSelector(text: string): ReturnType<typeof parseSelector> {
  try {
    return parseSelector(text);
  } catch (cause: unknown) {
    throw new Refusal(400, `labelSelector: ${JSON.stringify(text)} cannot be read`, { cause });
  }
}

function labelTest(label: string): (value: string) => Test {
  return (value) => (application) => value === '' || application.metadata.labels?.[label] === value;
}

function nameTest(value: string): Test {
  return (application) =>
    application.metadata.name.includes(value) || annotated(application, ALIAS_ANNOTATION).includes(value);
}

const FILTERS = new Map<string, (value: string) => Test>([
  ['name', nameTest],
  ['nameAndAlias', nameTest],
  [
    'names',
    (value) => {
      const wanted = new Set(value.split(','));
      return ({ metadata }) => wanted.has(metadata.name);
    },
  ],
  [
    'uid',
    (value) =>
      ({ metadata }) =>
        metadata.uid === value,
  ],
  [
    'namespace',
    (value) =>
      ({ metadata }) =>
        metadata.namespace === value,
  ],
  [
    'ownerReference',
    (value) =>
      ({ metadata }) =>
        (metadata.ownerReferences ?? []).some(({ uid }) => uid === value),
  ],
  [
    'ownerKind',
    (value) =>
      ({ metadata }) =>
        (metadata.ownerReferences ?? []).some(({ kind }) => kind === value),
  ],
  ['healthStatus', labelTest(HEALTH_LABEL)],
  ['syncStatus', labelTest(SYNC_LABEL)],
  [
    'label',
    (value) => {
      const matches = selectorTest(value);
      return ({ metadata }) => matches(metadata.labels ?? {});
    },
  ],
  [
    'annotation',
    (value) => {
      const matches = selectorTest(value);
      return ({ metadata }) => matches(metadata.annotations ?? {});
    },
  ],
  [
    'labelSelector',
    (value) => {
      const matches = readableSelector(value);
      return ({ metadata }) => matches(metadata.labels ?? {});
    },
  ],
]);

/** Go's Atoi; `otherwise` for what is no whole number. */
function wholeNumber(text: string, otherwise: number): number {
  const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : otherwise;
  return Object.is(value, -0) ? 0 : value;
}

/**
 * The first value of each key counts for paging and sorting, the last one for filters; a key that is none of these
 * filters nothing. Throws a Refusal if `labelSelector` cannot be read, or a filter is too long.
 */
export function listQueryOf(query: QueryString): ListQuery {
  const valuesOf = (key: string): string[] => [query[key] ?? []].flat();
  const first = (key: string): string => valuesOf(key)[0] ?? '';
  const filterBy = (key: string, filter: (value: string) => Test): Test[] => {
    const [value] = valuesOf(key).slice(-1);
    if (value === undefined) return [];
    if (value.length > MAX_TEXT) throw new Refusal(400, `${key}: it has more than ${MAX_TEXT} characters`);
    return [filter(value)];
  };
  const tests = [...FILTERS].flatMap(([key, filter]) => filterBy(key, filter));
  return {
    limit: wholeNumber(first('limit'), ALL),
    page: wholeNumber(first('page'), 1),
    sortBy: first('sortBy'),
    isAscending: TRUE.includes(first('ascending')),
    tests,
  };
}

function compareTexts(left = '', right = ''): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function byName(left: Application, right: Application): number {
  return compareTexts(left.metadata.name, right.metadata.name);
}

/** Every other field than the name stands for the time of creation, as in KubeSphere. */
function byCreation(left: Application, right: Application): number {
  return compareTexts(left.metadata.creationTimestamp, right.metadata.creationTimestamp) || byName(left, right);
}

function pageOf<T>(items: readonly T[], { limit, page }: ListQuery): readonly T[] {
  if (limit === ALL) return items;
  const offset = (page - 1) * limit;
  return limit < 0 || offset < 0 ? [] : items.slice(offset, offset + limit);
}

/** The page that was asked for; one that is not there is empty, and the total is that of all. */
export function answerList(applications: readonly Application[], query: ListQuery): ListAnswer {
  const compare = query.sortBy === 'name' ? byName : byCreation;
  const found = applications.filter((application) => query.tests.every((test) => test(application)));
  found.sort((left, right) => (query.isAscending ? compare(left, right) : compare(right, left)));
  return { items: pageOf(found, query), totalItems: found.length };
}

const NAMED = 20;

/**
 * Throws a Refusal (400) for the first key that is not known: one that is misspelt must not carry out what was only to
 * be checked, and what filters nothing must not look like all.
 */
export function refuseOtherKeys(query: QueryString, known: readonly string[]): void {
  const odd = Object.keys(query).find((key) => !known.includes(key));
  if (odd === undefined) return;
  const wayOut = known.length === 0 ? 'it has none' : `choose from ${listed(known, NAMED)}`;
  throw new Refusal(400, `${JSON.stringify(odd)} is no key of this query; ${wayOut}`);
}
