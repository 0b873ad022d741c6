import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Unstructured } from '#api/meta.js';
import { countDifferences, differences, withIgnored } from '#engine/drift/difference.js';
import { parseJson } from '#lib/json/lossless-json.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

function object(rest: object, metadata: object = {}): Unstructured {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...metadata }, ...rest };
}

const paths = (live: Unstructured, dryRun: Unstructured, ignored: readonly string[] = []): string[] =>
  differences(live, dryRun, ignored).map(({ op, path }) => `${op} ${path}`);

describe('what differs', () => {
  test.each<[string, Unstructured, Unstructured, string[]]>([
    ['nothing', object({ data: { a: 1 } }), object({ data: { a: 1 } }), []],
    ['a value', object({ data: { a: 1 } }), object({ data: { a: 2 } }), ['replace /data/a']],
    ['a value that is missing', object({ data: {} }), object({ data: { a: 2 } }), ['add /data/a']],
    ['a value too many', object({ data: { a: 1 } }), object({ data: {} }), ['remove /data/a']],
    ['a label', object({}), object({}, { labels: { 'x/y': 'z' } }), ['add /metadata/labels/x~1y']],
    ['an annotation', object({}, { annotations: { a: 'b' } }), object({}), ['remove /metadata/annotations/a']],
    ['status', object({ status: { a: 1 } }), object({ status: { a: 2 } }), []],
    ['what the server counts', object({}, { generation: 1 }), object({}, { generation: 2 }), []],
    ['who owns it', object({}, { managedFields: [{ manager: 'a' }] }), object({}), []],
    ['finalizers', object({}, { finalizers: ['a/b'] }), object({}), []],
  ])('%s', (_name, live, dryRun, expected) => expect(paths(live, dryRun)).toEqual(expected));

  test('a number beyond what a double holds', () => {
    const [live, dryRun] = ['9007199254740993', '9007199254740992'].map((text) =>
      object({ data: parseJson(`{"key":${text}}`) as object }),
    );
    expect(paths(live as Unstructured, dryRun as Unstructured)).toHaveLength(1);
    expect(paths(live as Unstructured, dryRun as Unstructured, ['/data/key'])).toEqual([]);
  });
});

describe('an ignored path', () => {
  const live = object({ spec: { replicas: 3, list: [{ a: 1 }], replicasMax: 1 } });
  const dryRun = object({ spec: { replicas: 1, list: [{ a: 2 }], replicasMax: 2 } });

  test.each<[string, string[], string[]]>([
    ['does not count', ['/spec/replicas'], ['replace /spec/replicasMax', 'replace /spec/list/0/a']],
    ['covers what lies in it', ['/spec/list', '/spec/replicasMax'], ['replace /spec/replicas']],
    ['may end with a slash', ['/spec/'], []],
    ['may be the whole object', [''], []],
    [
      'that is not there changes nothing',
      ['/data'],
      ['replace /spec/replicasMax', 'replace /spec/list/0/a', 'replace /spec/replicas'],
    ],
  ])('%s', (_name, ignored, expected) => expect(paths(live, dryRun, ignored).sort()).toEqual(expected.sort()));
});

test('ignored paths are found among their like', () => {
  const live = object({ spec: { 'a-b': 1, 'a.b': 1, a: { b: 1, c: { d: 1 } }, b: 1 } });
  const dryRun = object({ spec: { 'a-b': 2, 'a.b': 2, a: { b: 2, c: { d: 2 } }, b: 2 } });
  expect(paths(live, dryRun, ['/spec/a/c/d', '/spec/a/c', '/spec/a-', '/spec/a/c-', '/spec/a.b/', 'spec/b'])).toEqual([
    'replace /spec/b',
    'replace /spec/a/b',
    'replace /spec/a-b',
  ]);
});

test.each<[string, string[]]>([
  ['a long ignored path', [`/${'/'.repeat(100_000)}a`]],
  ['many ignored paths', Array.from({ length: 50_000 }, (_, index) => `/data/other${index}`)],
])('%s takes no time for each change', (_name, ignored) => {
  const data = (value: number): Unstructured =>
    object({ data: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key${index}`, value])) });
  const changed = (): unknown => expect(paths(data(1), data(2), ignored)).toHaveLength(2_000);
  expect(cpuMsOf(changed)).toBeLessThan(2_000);
});

test('differences are counted by what is done', () => {
  const operations = differences(object({ a: 1, b: 1 }), object({ b: 2, c: 3, d: 4 }), []);
  expect(countDifferences(operations)).toEqual({ additions: 2, changes: 1, removals: 1 });
});

describe('what is applied', () => {
  const containers = (...names: string[]): object => ({
    spec: { containers: names.map((name) => ({ name, image: `${name}:1` })) },
  });

  const injected = {
    spec: {
      containers: [
        { name: 'proxy', image: 'proxy:1' },
        { name: 'web', image: 'web:7' },
      ],
    },
  };
  const newer = { spec: { containers: [{ name: 'web', image: 'web:7' }] } };

  test.each<[string, [desired: object, live: object], string, object]>([
    ['takes the live value', [{ spec: { a: 1 } }, { spec: { a: 5 } }], '/spec/a', { spec: { a: 5 } }],
    ['lacks what is not live', [{ spec: { a: 1 } }, { spec: {} }], '/spec/a', { spec: {} }],
    ['leaves what is not ignored', [{ data: { a: 'x' } }, { data: { a: 'y' } }], '/spec', { data: { a: 'x' } }],
    ['has no parent that is not wanted', [{ spec: {} }, { spec: { a: { b: 1 } } }], '/spec/a/b', { spec: {} }],
    ['reads escaped paths', [{ a: { 'b/c': 1 } }, { a: { 'b/c': 2 } }], '/a/b~1c', { a: { 'b/c': 2 } }],
    ['finds a named element that moved', [containers('web'), injected], '/spec/containers/1/image', newer],
    [
      'leaves out an element that others put in',
      [containers('web'), injected],
      '/spec/containers/0/image',
      containers('web'),
    ],
  ])('%s', (_name, [desired, live], ignored, expected) => {
    expect(withIgnored(object(desired), object(live), [ignored])).toEqual(object(expected));
  });

  test.each(['/__proto__/valueOf', '/__proto__/polluted', '/constructor/prototype/valueOf', '/__proto__'])(
    'leaves alone what all objects share: %s',
    (ignored) => {
      const before = Object.getOwnPropertyDescriptors(Object.prototype);
      const live = parseJson('{"__proto__":{"polluted":1},"data":{}}') as object;
      const applied = withIgnored(object({ data: {} }), object(live), [ignored]);
      expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(before);
      expect(Object.getPrototypeOf(applied)).toBe(Object.getPrototypeOf(object({})));
    },
  );

  test('keeps large numbers, and the arguments', () => {
    const live = object({ data: parseJson('{"key":9007199254740993}') as object });
    const desired = object({ data: { key: 1 } });
    expect(String((withIgnored(desired, live, ['/data/key'])['data'] as { key: unknown }).key)).toBe(
      '9007199254740993',
    );
    expect(desired).toEqual(object({ data: { key: 1 } }));
  });

  test('does not differ at the ignored path, whatever the objects', () => {
    const data = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer());
    fc.assert(
      fc.property(data, data, fc.constantFrom('a', 'b', 'c'), (desired, live, key) => {
        const applied = withIgnored(object({ data: desired }), object({ data: live }), [`/data/${key}`]);
        expect((applied['data'] as Record<string, number>)[key]).toBe(live[key]);
      }),
    );
  });
});
