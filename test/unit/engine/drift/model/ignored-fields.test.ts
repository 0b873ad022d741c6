import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { withIgnored, withoutIgnored, type Settled } from '#engine/drift/model/ignored-fields.js';
import { ignoredPaths } from '#engine/drift/model/ignored-paths.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

const MANAGER = 'kustomize-controller';

type Fields = Readonly<Record<string, unknown>>;

function object(rest: object, managedFields: readonly ManagedFieldsEntry[] = []): Unstructured {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', managedFields: [...managedFields] }, ...rest };
}

function owner(manager: string, fieldsV1: Fields, rest: object = {}): ManagedFieldsEntry {
  return { manager, operation: 'Apply', apiVersion: 'v1', fieldsV1, ...rest };
}

interface Given {
  readonly desired: object;
  readonly live: object;
  /** By default as desired. */
  readonly dryRun?: object;
  /** What we own by the dry run, as `fieldsV1`. */
  readonly own?: Fields;
  /** Who owns what of the live object. */
  readonly others?: readonly ManagedFieldsEntry[];
}

function settled({ desired, live, dryRun = desired, own = {}, others = [] }: Given, ...pointers: string[]): Settled {
  const versions = {
    desired: object(desired),
    live: object(live, others),
    dryRun: object(dryRun, [owner(MANAGER, own)]),
  };
  return withIgnored(versions, ignoredPaths(pointers), MANAGER);
}

function item(...fields: string[]): Fields {
  return Object.fromEntries(['.', ...fields.map((field) => `f:${field}`)].map((part) => [part, {}]));
}

const REPLICAS: Fields = { 'f:spec': { 'f:replicas': {} } };
const scaled = (replicas: number): object => ({ spec: { replicas } });
const named = (...items: readonly (readonly [name: string, image: string])[]): object => ({
  spec: { containers: items.map(([name, image]) => ({ name, image })) },
});
const WEB: Fields = { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': item('name', 'image') } } };
const BOTH: Fields = {
  'f:spec': {
    'f:containers': { 'k:{"name":"web"}': item('name', 'image'), 'k:{"name":"db"}': item('name', 'image') },
  },
};
const RULES: Fields = { 'f:spec': { 'f:rules': {} } };
const ports = (...list: object[]): object => ({ spec: { ports: list } });
const DNS: Fields = {
  'f:spec': { 'f:ports': { 'k:{"port":53,"protocol":"TCP"}': {}, 'k:{"port":53,"protocol":"UDP"}': {} } },
};
const IMAGE = '/spec/containers/0/image';

describe('at an ignored path', () => {
  test.each<[string, Given, string, object]>([
    [
      'a value that differs is applied as it is live',
      { desired: scaled(1), live: scaled(5), own: REPLICAS },
      '/spec/replicas',
      scaled(5),
    ],
    [
      'a value of another applier is left to it',
      { desired: scaled(1), live: scaled(5), own: REPLICAS, others: [owner('hpa', REPLICAS)] },
      '/spec/replicas',
      { spec: {} },
    ],
    [
      'one that another updates is applied as it is live',
      { desired: scaled(1), live: scaled(5), own: REPLICAS, others: [owner('hpa', REPLICAS, { operation: 'Update' })] },
      '/spec/replicas',
      scaled(5),
    ],
    [
      'so is one that another applies by a subresource',
      {
        desired: scaled(1),
        live: scaled(5),
        own: REPLICAS,
        others: [owner('hpa', REPLICAS, { subresource: 'scale' })],
      },
      '/spec/replicas',
      scaled(5),
    ],
    [
      'what the source lacks is not applied',
      { desired: { spec: {} }, live: scaled(5), dryRun: scaled(1), own: REPLICAS },
      '/spec/replicas',
      { spec: {} },
    ],
    [
      'what is not live is applied',
      { desired: scaled(1), live: { spec: {} }, own: REPLICAS },
      '/spec/replicas',
      scaled(1),
    ],
    ['so is what has no parent', { desired: scaled(1), live: {}, own: REPLICAS }, '/spec/replicas', scaled(1)],
    ['a map is applied as it is live', { desired: scaled(1), live: scaled(5), own: REPLICAS }, '/spec', scaled(5)],
    [
      'an item of its own keeps its value',
      { desired: named(['web', 'new']), live: named(['web', 'live']), own: WEB },
      IMAGE,
      named(['web', 'live']),
    ],
    [
      'an item of another applier loses the field',
      { desired: named(['web', 'new']), live: named(['web', 'live']), own: WEB, others: [owner('images', WEB)] },
      IMAGE,
      { spec: { containers: [{ name: 'web' }] } },
    ],
    [
      'an injected item in front is what the index means',
      {
        desired: named(['web', 'new']),
        live: named(['proxy', 'p'], ['web', 'live']),
        dryRun: named(['proxy', 'p'], ['web', 'new']),
        own: WEB,
      },
      IMAGE,
      named(['web', 'new']),
    ],
    [
      'an item of a list that is one value is told by its place',
      { desired: { spec: { rules: [{ w: 1 }] } }, live: { spec: { rules: [{ w: 9 }] } }, own: RULES },
      '/spec/rules/0/w',
      { spec: { rules: [{ w: 9 }] } },
    ],
    [
      'of such a list nothing is left out, whoever owns it',
      {
        desired: { spec: { rules: [{ w: 1 }] } },
        live: { spec: { rules: [{ w: 9 }] } },
        own: RULES,
        others: [owner('other', RULES)],
      },
      '/spec/rules/0/w',
      { spec: { rules: [{ w: 9 }] } },
    ],
    [
      'a defaulted key is no hindrance where one item can be meant',
      {
        desired: ports({ port: 53, nodePort: 1 }),
        live: ports({ port: 53, protocol: 'TCP', nodePort: 2 }),
        dryRun: ports({ port: 53, protocol: 'TCP', nodePort: 1 }),
        own: { 'f:spec': { 'f:ports': { 'k:{"port":53,"protocol":"TCP"}': {} } } },
      },
      '/spec/ports/0/nodePort',
      ports({ port: 53, nodePort: 2 }),
    ],
    [
      'what all objects inherit is not reached',
      { desired: { spec: {} }, live: { spec: {} } },
      '/spec/__proto__/polluted',
      { spec: {} },
    ],
  ])('%s', (_name, given, pointer, expected) => {
    const { object: applied, unclear } = settled(given, pointer);
    expect({ ...applied, unclear }).toEqual({ ...object(expected), unclear: undefined });
  });
});

test.each<[string, Given, string]>([
  [
    'items that changed places',
    { desired: named(['web', 'w'], ['db', 'd']), live: named(['db', 'd'], ['web', 'live']), own: BOTH },
    IMAGE,
  ],
  [
    'an item without the key that tells it from another',
    {
      desired: ports({ port: 53, nodePort: 1 }, { port: 53, protocol: 'UDP' }),
      live: ports({ port: 53, protocol: 'TCP', nodePort: 2 }, { port: 53, protocol: 'UDP' }),
      dryRun: ports({ port: 53, protocol: 'TCP', nodePort: 1 }, { port: 53, protocol: 'UDP' }),
      own: DNS,
    },
    '/spec/ports/0/nodePort',
  ],
  ['a list of which nothing is known', { desired: named(['web', 'new']), live: named(['web', 'live']) }, IMAGE],
  [
    'a member of a set',
    {
      desired: { metadata: { name: 'a', finalizers: ['a/b'] } },
      live: { metadata: { name: 'a', finalizers: ['c/d', 'a/b'] } },
      own: { 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } } },
    },
    '/metadata/finalizers/0',
  ],
])('a path to %s is unclear', (_name, given, pointer) => {
  const { metadata: live = {} } = given.live as { metadata?: object }; // of a row above
  const { desired, dryRun = desired, own = {} } = given;
  const merged = object(dryRun);
  const versions = {
    desired: object(desired),
    live: { ...object(given.live), metadata: { name: 'a', ...live } },
    dryRun: { ...merged, metadata: { ...merged.metadata, managedFields: [owner(MANAGER, own)] } },
  };
  expect(withIgnored(versions, ignoredPaths([pointer]), MANAGER).unclear).toBe(pointer);
});

test.each<[string, Given, boolean]>([
  ['a value as it is live', { desired: scaled(1), live: scaled(5) }, true],
  ['a value that is the same', { desired: scaled(1), live: scaled(1) }, true],
  ['a value that is not live', { desired: scaled(1), live: {} }, true],
  ['what the source lacks', { desired: {}, live: scaled(5) }, false],
])('the write of %s is of the version that was read: %p', (_name, given, expected) => {
  expect(settled(given, '/spec/replicas').isOfLive).toBe(expected);
});

test('what identifies an object is never ignored, and what the server writes is never applied', () => {
  const live = { ...object(scaled(5), []), metadata: { name: 'a', uid: 'u', labels: { x: 'y' } } };
  const versions = { desired: object(scaled(1)), live, dryRun: object(scaled(1)) };
  const { object: applied } = withIgnored(versions, ignoredPaths(['/metadata', '/kind', '/apiVersion']), MANAGER);
  expect(applied).toEqual({ ...object(scaled(1)), metadata: { name: 'a', labels: { x: 'y' } } });
});

test('what is compared lacks the ignored fields, and what we own of them', () => {
  const list = { 'k:{"name":"a"}': item('name', 'x'), 'k:{"name":"b"}': item('name', 'x') };
  const owns = { 'f:data': { 'f:a': {}, 'f:b': {} }, 'f:list': list };
  const other = owner('other', owns);
  const items = ['a', 'b'].map((name) => ({ name, x: 1 }));
  const given = object({ data: { a: '1', b: '2' }, plain: [1, 2, 3], list: items }, [owner(MANAGER, owns), other]);
  const pointers = ['/data/a', '/plain/0', '/plain/1', '/metadata', '/none/below', '/plain/9', '/list/0', '/list/1/x'];
  const left = { 'f:data': { 'f:b': {} }, 'f:list': { 'k:{"name":"b"}': item('name') } };
  expect(withoutIgnored(given, ignoredPaths(pointers), MANAGER)).toEqual(
    object({ data: { b: '2' }, plain: [3], list: [{ name: 'b' }] }, [owner(MANAGER, left), other]),
  );
});

test('whatever differs elsewhere, an ignored map is never applied as the source has it', () => {
  const data = fc.dictionary(fc.string(), fc.string());
  const values = fc.tuple(fc.string(), fc.string());
  const property = fc.property(data, data, fc.string(), values, (one, other, key, [wanted, found]) => {
    const desired = { ...one, [key]: wanted };
    const live = { ...other, [key]: found };
    const pointer = `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const applied = settled({ desired: { data: desired }, live: { data: live } }, pointer).object['data'];
    expect(applied).toEqual({ ...desired, [key]: live[key] });
  });
  fc.assert(property);
});

const MANY = Array.from({ length: 10_000 }, (_item, index) => `n${index}`);
const PATHS = MANY.slice(0, 200);

test('many paths cost little in a map of many fields', () => {
  const data = (value: string): object => ({ data: Object.fromEntries(MANY.map((key) => [key, value])) });
  const own = { 'f:data': Object.fromEntries(MANY.map((key) => [`f:${key}`, {}])) };
  const others = [owner('other', own)];
  const given = { desired: data('1'), live: data('2'), own, others };
  const pointers = PATHS.map((key) => `/data/${key}`);
  expect(cpuMsOf(() => settled(given, ...pointers))).toBeLessThan(1_000);
  expect(cpuMsOf(() => withoutIgnored(object(data('1'), others), ignoredPaths(pointers), 'other'))).toBeLessThan(500);
});

test('many paths cost little in a list of many items', () => {
  const list = (value: string): object => ({ list: MANY.map((name) => ({ name, value })) });
  const bare = { list: MANY.map((name) => ({ name, value: '1' })) };
  const own = { 'f:list': Object.fromEntries(MANY.map((name) => [`k:{"name":"${name}","type":"x"}`, {}])) };
  const typed = (given: object): object => ({
    list: (given as { list: object[] }).list.map((each) => ({ ...each, type: 'x' })), // of the line above
  });
  const given = { desired: bare, live: typed(list('2')), dryRun: typed(list('1')), own, others: [owner('other', own)] };
  const pointers = PATHS.map((_name, index) => `/list/${index}/value`);
  expect(cpuMsOf(() => settled(given, ...pointers))).toBeLessThan(1_500);
});

test('a path of any depth is bounded', () => {
  const deep = '/spec'.repeat(9_000);
  expect(settled({ desired: scaled(1), live: scaled(2) }, deep).object).toEqual(object(scaled(1)));
});
