import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit.js';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { withIgnored, type Settled } from '#controllers/engine/drift/model/ignored-fields.js';
import { ignoredPaths } from '#controllers/engine/drift/model/ignored-paths.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { parseJson } from '#controllers/runtime/pure/lossless-json.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { cpuMsOf } from '#test/support/cpu-time.js';

const MANAGER = 'kustomize-controller';

type Fields = Readonly<Record<string, unknown>>;

function object(rest: object): Unstructured {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, ...rest };
}

function owner(manager: string, fieldsV1: Fields, operation = 'Apply'): ManagedFieldsEntry {
  return { manager, operation, apiVersion: 'v1', fieldsV1 };
}

interface Given {
  readonly wanted: object;
  readonly live: object;
  /** What we own, as `fieldsV1`. */
  readonly ours?: Fields;
  readonly others?: Fields;
}

function settled({ wanted, live, ours, others }: Given, ...pointers: string[]): Settled {
  const managedFields = [
    ...(ours === undefined ? [] : [owner(MANAGER, ours)]),
    ...(others === undefined ? [] : [owner('others', others, 'Update')]),
  ];
  return withIgnored(object(wanted), object(live), { paths: ignoredPaths(pointers), manager: MANAGER, managedFields });
}

function named(...items: readonly (readonly [name: string, image: string])[]): { spec: { containers: object[] } } {
  return { spec: { containers: items.map(([name, image]) => ({ name, image })) } };
}

function ownerOfNamed(...names: readonly string[]): Fields {
  const item = { '.': {}, 'f:name': {}, 'f:image': {} };
  return { 'f:spec': { 'f:containers': Object.fromEntries(names.map((name) => [`k:{"name":"${name}"}`, item])) } };
}

const REPLICAS: Fields = { 'f:spec': { 'f:replicas': {} } };
const WEB = named(['web', 'web:1']);
const INJECTED = named(['proxy', 'proxy:1'], ['web', 'web:7']);

describe('at an ignored path', () => {
  test.each<[string, Given, string, object]>([
    [
      'a value of ours is applied as it is live',
      { wanted: { spec: { replicas: 1 } }, live: { spec: { replicas: 5 } }, ours: REPLICAS },
      '/spec/replicas',
      { spec: { replicas: 5 } },
    ],
    [
      'a value of others is left to them',
      { wanted: { spec: { replicas: 1 } }, live: { spec: { replicas: 5 } }, ours: {}, others: REPLICAS },
      '/spec/replicas',
      { spec: {} },
    ],
    [
      'a value that we share is applied as it is live',
      { wanted: { spec: { replicas: 1 } }, live: { spec: { replicas: 5 } }, ours: REPLICAS, others: REPLICAS },
      '/spec/replicas',
      { spec: { replicas: 5 } },
    ],
    [
      'what is wanted is applied where nothing is live',
      { wanted: { spec: { replicas: 1 } }, live: { spec: {} } },
      '/spec/replicas',
      { spec: { replicas: 1 } },
    ],
    [
      'what is wanted is applied where its parent is not live',
      { wanted: { a: { b: 1 } }, live: {} },
      '/a/b',
      { a: { b: 1 } },
    ],
    [
      'what the source dropped stays, as long as it is ours',
      { wanted: { spec: {} }, live: { spec: { replicas: 5 } }, ours: REPLICAS },
      '/spec/replicas',
      { spec: { replicas: 5 } },
    ],
    [
      'what goes with its parent goes',
      { wanted: {}, live: { spec: { replicas: 5 } }, ours: REPLICAS },
      '/spec/replicas',
      {},
    ],
    [
      'of a map only what is ours is applied',
      {
        wanted: { data: { a: 'new', d: 'new' } },
        live: { data: { a: 'x', b: 'y', c: 'z' } },
        ours: { 'f:data': { 'f:a': {}, 'f:b': {} } },
        others: { 'f:data': { 'f:c': {} } },
      },
      '/data',
      { data: { a: 'x', b: 'y' } },
    ],
    [
      'an atomic map of ours stays as a whole',
      { wanted: { selector: { a: '2' } }, live: { selector: { a: '1', b: '1' } }, ours: { 'f:selector': {} } },
      '/selector',
      { selector: { a: '1', b: '1' } },
    ],
    [
      'a field in an atomic map keeps its value, whoever owns the map',
      {
        wanted: { selector: { a: '2', b: '2' } },
        live: { selector: { a: '1', b: '1' } },
        others: { 'f:selector': {} },
      },
      '/selector/a',
      { selector: { a: '1', b: '2' } },
    ],
    [
      'an atomic list of ours stays as a whole, with what the source dropped',
      {
        wanted: { subjects: [{ name: 'x' }] },
        live: { subjects: [{ name: 'x' }, { name: 'y' }] },
        ours: { 'f:subjects': {} },
      },
      '/subjects',
      { subjects: [{ name: 'x' }, { name: 'y' }] },
    ],
    [
      'an atomic list of others is left to them as a whole',
      { wanted: { subjects: [{ name: 'x' }] }, live: { subjects: [{ name: 'y' }] }, others: { 'f:subjects': {} } },
      '/subjects',
      {},
    ],
    [
      'an item of an atomic list keeps its place',
      { wanted: { rules: [{ w: 100 }, { w: 0 }] }, live: { rules: [{ w: 10 }, { w: 90 }] }, ours: { 'f:rules': {} } },
      '/rules/0/w',
      { rules: [{ w: 10 }, { w: 0 }] },
    ],
    [
      'a field in an atomic list of others keeps its value',
      { wanted: { rules: [{ w: 100 }] }, live: { rules: [{ w: 10 }] }, others: { 'f:rules': {} } },
      '/rules/0/w',
      { rules: [{ w: 10 }] },
    ],
    [
      'a list of maps with names may have other keys',
      {
        wanted: {
          mounts: [
            { name: 'data', path: '/a', sub: '1' },
            { name: 'data', path: '/b', sub: '1' },
          ],
        },
        live: {
          mounts: [
            { name: 'data', path: '/b', sub: 'b' },
            { name: 'data', path: '/a', sub: 'a' },
          ],
        },
        ours: {
          'f:mounts': Object.fromEntries(
            ['/a', '/b'].map((path) => [`k:{"path":"${path}"}`, { '.': {}, 'f:name': {}, 'f:path': {}, 'f:sub': {} }]),
          ),
        },
      },
      '/mounts/0/sub',
      {
        mounts: [
          { name: 'data', path: '/a', sub: '1' },
          { name: 'data', path: '/b', sub: 'b' },
        ],
      },
    ],
    [
      'an item that moved is found',
      { wanted: WEB, live: INJECTED, ours: ownerOfNamed('web'), others: ownerOfNamed('proxy') },
      '/spec/containers/1/image',
      named(['web', 'web:7']),
    ],
    [
      'an item that others put in says nothing of ours',
      { wanted: WEB, live: INJECTED, ours: ownerOfNamed('web'), others: ownerOfNamed('proxy') },
      '/spec/containers/0/image',
      WEB,
    ],
    [
      'our items stay as they are, whatever the source calls them',
      { wanted: named(['app', 'app:1']), live: INJECTED, ours: ownerOfNamed('web'), others: ownerOfNamed('proxy') },
      '/spec/containers',
      named(['web', 'web:7']),
    ],
    [
      'an item that the source renamed is another one',
      { wanted: named(['app', 'app:1']), live: WEB, ours: ownerOfNamed('web') },
      '/spec/containers/0/image',
      named(['app', 'app:1']),
    ],
    [
      'an item that the source added is applied',
      { wanted: named(['web', 'web:1'], ['log', 'log:1']), live: WEB, ours: ownerOfNamed('web') },
      '/spec/containers/1/image',
      named(['web', 'web:1'], ['log', 'log:1']),
    ],
    [
      'an ignored item that the source dropped stays',
      {
        wanted: named(['web', 'web:1']),
        live: named(['log', 'log:1'], ['web', 'web:1']),
        ours: ownerOfNamed('log', 'web'),
      },
      '/spec/containers/0',
      named(['web', 'web:1'], ['log', 'log:1']),
    ],
    [
      'an item is found that leaves a key to its default',
      {
        wanted: { ports: [{ port: 80, name: 'new' }] },
        live: {
          ports: [
            { port: 80, protocol: 'UDP', name: 'theirs' },
            { port: 80, protocol: 'TCP', name: 'live' },
          ],
        },
        ours: { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} } } },
        others: { 'f:ports': { 'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:name': {} } } },
      },
      '/ports/1/name',
      { ports: [{ port: 80, protocol: 'TCP', name: 'live' }] },
    ],
    [
      'a set has no places',
      { wanted: { a: ['x'] }, live: { a: ['y', 'x'] }, ours: { 'f:a': { 'v:"y"': {} } } },
      '/a/0',
      { a: ['x'] },
    ],
    [
      'a list has no index beyond its end',
      { wanted: WEB, live: WEB, ours: ownerOfNamed('web') },
      '/spec/containers/7/image',
      WEB,
    ],
    [
      'no step of JavaScript is an index',
      { wanted: { l: [1] }, live: { l: [8] }, ours: { 'f:l': {} } },
      '/l/0x0',
      { l: [1] },
    ],
    ['identity is always applied', { wanted: {}, live: {}, ours: {} }, '/metadata', {}],
    ['the kind is always applied', { wanted: {}, live: {}, ours: {} }, '/kind', {}],
    [
      'values of another kind stay',
      { wanted: { a: { b: 1 } }, live: { a: 'x' }, ours: { 'f:a': {} } },
      '/a',
      { a: 'x' },
    ],
  ])('%s', (_name, given, pointer, expected) => {
    expect(settled(given, pointer).object).toEqual(object(expected));
  });

  test('what an owner by another version has is applied as it is live', () => {
    const managedFields = [{ ...owner(MANAGER, { 'f:old': {} }), apiVersion: 'v0' }];
    const live = {
      ...object({ spec: { size: 5 } }),
      metadata: { name: 'a', uid: 'u', labels: { a: 'b' }, managedFields },
    };
    const paths = ignoredPaths(['/spec/size', '/metadata']);
    const found = withIgnored(object({ spec: { size: 1 } }), live, { paths, manager: MANAGER, managedFields });
    expect(found.object).toEqual({ ...object({ spec: { size: 5 } }), metadata: { name: 'a', labels: { a: 'b' } } });
  });
});

test.each<[string, Given, Omit<Settled, 'object'>]>([
  ['live values of ours', { wanted: {}, live: { a: 5 }, ours: { 'f:a': {} } }, { copiesLive: true }],
  ['none of others', { wanted: { a: 1 }, live: { a: 5 }, others: { 'f:a': {} } }, { copiesLive: false }],
  ['none that is missing', { wanted: { a: 1 }, live: {} }, { copiesLive: false, withoutMissing: object({}) }],
])('what is applied holds %s', (_name, given, expected) => {
  expect(omit(settled(given, '/a'), 'object')).toEqual(expected);
});

test.each(['/__proto__/valueOf', '/__proto__/polluted', '/constructor/prototype/valueOf', '/__proto__'])(
  'nothing that all objects share is touched by %s',
  (pointer) => {
    const before = Object.getOwnPropertyDescriptors(Object.prototype);
    const hostile = parseJson('{"__proto__":{"polluted":1},"data":{}}') as object; // an object, as written
    const found = settled({ wanted: { data: {} }, live: hostile, ours: { 'f:data': {} } }, pointer);
    expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(before);
    expect(Object.getPrototypeOf(found.object)).toBe(Object.prototype);
  },
);

test('200 paths into 10,000 items cost little', () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}`, value: index }));
  const item = { '.': {}, 'f:name': {}, 'f:value': {} };
  const ours = { 'f:items': Object.fromEntries(items.map(({ name }) => [`k:{"name":"${name}"}`, item])) };
  const given = {
    wanted: { items: items.map(({ name }) => ({ name, value: 0 })) },
    live: { items },
    ours,
    others: ours,
  };
  const pointers = Array.from({ length: 200 }, (_, index) => `/items/${index}/value`);
  const cost = cpuMsOf(() => {
    const { items: applied } = settled(given, ...pointers).object as unknown as { items: { value: number }[] }; // as given
    expect(applied.slice(198, 202).map(({ value }) => value)).toEqual([198, 199, 0, 0]);
    settled(given, '/items');
  });
  expect(cost).toBeLessThan(2_000);
});

/** What a server makes of an object of maps: ours go unless they are applied again, and those of others stay. */
function afterApply(live: unknown, applied: unknown, ours: unknown): unknown {
  if (!isMap(live)) return applied ?? live;
  const appliedMap = isMap(applied) ? applied : {};
  const oursMap = isMap(ours) ? ours : {};
  const kept = Object.entries(live).flatMap(([key, value]) => {
    const own = oursMap[`f:${key}`];
    const isGone = isMap(own) && Object.keys(own).length === 0 && appliedMap[key] === undefined;
    return isGone ? [] : [[key, afterApply(value, appliedMap[key], own)]];
  });
  return { ...appliedMap, ...Object.fromEntries(kept) } as unknown;
}

type Tree = { readonly [key: string]: string | Tree };
const KEYS = fc.constantFrom('a', 'b', 'c');
const { tree } = fc.letrec<{ tree: Tree; value: string | Tree }>((tie) => ({
  tree: fc.dictionary(KEYS, tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('1', '2', '3'), tie('tree')),
}));

function fieldsOf(value: Tree, isOurs: (path: string) => boolean, path = ''): Fields {
  const parts = Object.entries(value).flatMap(([key, below]) => {
    const at = `${path}/${key}`;
    if (typeof below === 'string') return isOurs(at) ? [[`f:${key}`, {}] as const] : [];
    const fields = fieldsOf(below, isOurs, at);
    return Object.keys(fields).length === 0 ? [] : [[`f:${key}`, fields] as const];
  });
  return Object.fromEntries(parts);
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((found, step) => (isMap(found) ? found[step] : undefined), value);
}

test('what is live at an ignored path stays, unless the source drops what contains it', () => {
  fc.assert(
    fc.property(
      tree,
      tree,
      fc.array(KEYS, { minLength: 1, maxLength: 3 }),
      fc.integer(),
      (wanted, live, steps, seed) => {
        const isOurs = (path: string): boolean => (path.length + seed) % 3 !== 0;
        const ours = fieldsOf({ data: live }, isOurs);
        const others = fieldsOf({ data: live }, (path) => !isOurs(path));
        const path = ['data', ...steps];
        const { object: applied } = settled(
          { wanted: { data: wanted }, live: { data: live }, ours, others },
          `/${path.join('/')}`,
        );
        const value = valueAt({ data: live }, path);
        const keepsParent = isMap(valueAt({ data: wanted }, path.slice(0, -1)));
        fc.pre(value !== undefined && keepsParent);
        const after = valueAt(afterApply({ data: live }, { data: applied['data'] }, ours), path);
        expect(canonicalJson(after)).toBe(canonicalJson(value));
      },
    ),
  );
});
