import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { withIgnored, withoutIgnored } from '#controllers/engine/drift/model/ignored-fields.js';
import { parseJson } from '#controllers/runtime/pure/lossless-json.js';

const MANAGER = 'kustomize-controller';

type Fields = Readonly<Record<string, unknown>>;

function owner(fieldsV1: Fields, entry: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return { manager: 'autoscaler', operation: 'Apply', apiVersion: 'v1', fieldsV1, ...entry };
}

function object(rest: object, ...managedFields: ManagedFieldsEntry[]): Unstructured {
  const owners = managedFields.length === 0 ? {} : { managedFields };
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...owners }, ...rest };
}

function applied(desired: object, live: Unstructured, ...pointers: string[]): Unstructured {
  return withIgnored(object(desired), live, { pointers, manager: MANAGER });
}

function containers(...all: readonly (readonly [name: string, image: string])[]): object {
  return { spec: { containers: all.map(([name, image]) => ({ name, image })) } };
}

const INJECTED = containers(['proxy', 'proxy:1'], ['web', 'web:7']);
const WEB = containers(['web', 'web:1']);

describe('what is applied at an ignored path', () => {
  test.each<[string, [desired: object, live: object], string, object]>([
    ['is the live value', [{ spec: { a: 1 } }, { spec: { a: 5 } }], '/spec/a', { spec: { a: 5 } }],
    ['is nothing where nothing is live', [{ spec: { a: 1 } }, { spec: {} }], '/spec/a', { spec: {} }],
    ['is nothing where nothing is wanted', [{ spec: {} }, { spec: { a: 5 } }], '/spec/a', { spec: {} }],
    ['is nothing where the parent is not live', [{ a: { b: 1 } }, {}], '/a/b', { a: {} }],
    ['is nothing where the parent is not wanted', [{ spec: {} }, { spec: { a: { b: 1 } } }], '/spec/a/b', { spec: {} }],
    ['is no other field', [{ data: { a: 'x' } }, { data: { a: 'y' } }], '/spec', { data: { a: 'x' } }],
    ['has unescaped steps', [{ a: { 'b/c~': 1 } }, { a: { 'b/c~': 2 } }], '/a/b~1c~0', { a: { 'b/c~': 2 } }],
    ['is as wanted without a slash in front', [{ a: 1 }, { a: 2 }], 'a', { a: 1 }],
    ['is as wanted for the whole object, which is never written', [{ a: 1 }, { a: 2 }], '', { a: 1 }],
    [
      'is of a subtree only what is wanted, for the rest is of others',
      [{ spec: { a: 1, b: { c: 1 } } }, { spec: { a: 2, default: 3, b: { c: 4, d: 5 } } }],
      '/spec',
      { spec: { a: 2, b: { c: 4 } } },
    ],
    [
      'is a list as a whole',
      [{ spec: { list: [1] } }, { spec: { list: [2, 3] } }],
      '/spec',
      { spec: { list: [2, 3] } },
    ],
    ['is of a named element that moved', [WEB, INJECTED], '/spec/containers/1/image', containers(['web', 'web:7'])],
    ['is no element that others put in', [WEB, INJECTED], '/spec/containers/0/image', WEB],
    ['is of named elements below', [WEB, INJECTED], '/spec/containers', containers(['web', 'web:7'])],
    ['is no element that is gone', [INJECTED, WEB], '/spec/containers', WEB],
    ['is as wanted beyond the end of a list', [WEB, INJECTED], '/spec/containers/7/image', WEB],
  ])('%s', (_name, [desired, live], pointer, expected) => {
    expect(applied(desired, object(live), pointer)).toEqual(object(expected));
  });

  const desired = { spec: { size: 1, containers: [{ name: 'web', image: 'web:1', args: ['a'] }] } };
  const live = { spec: { size: 5, containers: [{ name: 'web', image: 'web:7', args: ['b'] }] } };
  const size = { 'f:spec': { 'f:size': {} } };
  const image = { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:image': {} } } } };

  test.each<[string, ManagedFieldsEntry, string, object]>([
    ['left to another applier', owner(size), '/spec/size', { spec: { containers: desired.spec.containers } }],
    [
      'the live value that we apply',
      owner(size, { manager: MANAGER }),
      '/spec/size',
      { spec: { ...desired.spec, size: 5 } },
    ],
    [
      'the live value that was edited',
      owner(size, { operation: 'Update' }),
      '/spec/size',
      { spec: { ...desired.spec, size: 5 } },
    ],
    [
      'the live value that was scaled',
      owner(size, { subresource: 'scale' }),
      '/spec/size',
      { spec: { ...desired.spec, size: 5 } },
    ],
    [
      'left to the applier of a field in a list',
      owner(image),
      '/spec/containers/0/image',
      { spec: { size: 1, containers: [{ name: 'web', args: ['a'] }] } },
    ],
    [
      'left to the applier of a part of a subtree, and the live value elsewhere',
      owner(image),
      '/spec/containers',
      { spec: { size: 1, containers: [{ name: 'web', args: ['b'] }] } },
    ],
    [
      'left to the applier of all that contains it',
      owner({ 'f:spec': { 'f:containers': {} } }),
      '/spec/containers/0/image',
      { spec: { size: 1, containers: [{ name: 'web', args: ['a'] }] } },
    ],
  ])('is %s', (_name, entry, pointer, expected) => {
    expect(applied(desired, object(live, entry), pointer)).toEqual(object(expected));
  });

  test('stays shared with another applier as long as it has the wanted value', () => {
    expect(applied({ spec: { size: 5 } }, object(live, owner(size)), '/spec/size')).toEqual(
      object({ spec: { size: 5 } }),
    );
  });

  test.each(['/__proto__/valueOf', '/__proto__/polluted', '/constructor/prototype/valueOf', '/__proto__'])(
    'is nothing that all objects share: %s',
    (pointer) => {
      const before = Object.getOwnPropertyDescriptors(Object.prototype);
      const hostile = object(parseJson('{"__proto__":{"polluted":1},"data":{}}') as object); // an object, as written
      const found = applied({ data: {} }, hostile, pointer);
      withoutIgnored(hostile, [pointer]);
      expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(before);
      expect(Object.getPrototypeOf(found)).toBe(Object.getPrototypeOf(object({})));
    },
  );

  test('may be a large number, and the arguments stay', () => {
    const large = object({ data: parseJson('{"key":9007199254740993}') as object }); // an object, as written
    const wanted = object({ data: { key: 1 } });
    const found = withIgnored(wanted, large, { pointers: ['/data/key'], manager: MANAGER });
    expect(String((found['data'] as { key: unknown }).key)).toBe('9007199254740993'); // as wanted
    expect(wanted).toEqual(object({ data: { key: 1 } }));
  });

  test('of large lists takes no time', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, value: index }));
    const fields = Object.fromEntries(items.map(({ name }) => [`k:{"name":"${name}"}`, { 'f:other': {} }]));
    const grown = object({ list: items.map((item) => ({ ...item, value: 0 })) }, owner({ 'f:list': fields }));
    const started = performance.now();
    const found = applied({ list: items }, grown, '/list');
    expect(found['list']).toEqual(grown['list']);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('what is compared', () => {
  const spec = { size: 1, args: ['a', 'b'], containers: [{ name: 'web', image: 'web:1' }] };

  test.each<[string, string[], object]>([
    ['lacks an ignored field', ['/spec/size'], { spec: { args: spec.args, containers: spec.containers } }],
    ['lacks a subtree', ['/spec'], {}],
    ['has the place of an item', ['/spec/args/0'], { spec: { ...spec, args: [null, 'b'] } }],
    ['lacks what is left empty', ['/spec/size', '/spec/args', '/spec/containers'], {}],
    ['lacks a field of an item', ['/spec/containers/0/image'], { spec: { ...spec, containers: [{ name: 'web' }] } }],
    ['is whole without a pointer that fits', ['/data', 'spec', '/spec/size/x', '/spec/containers/1'], { spec }],
    ['is nothing of an object that is ignored', [''], {}],
  ])('%s', (_name, pointers, expected) => {
    expect(withoutIgnored(object({ spec }), pointers)).toEqual(object(expected));
  });

  const fields = {
    'f:spec': {
      ...{ 'f:size': {}, 'f:args': {} },
      'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:image': {} } },
    },
  };
  const { 'f:size': ownSize, 'f:args': ownArgs, 'f:containers': ownContainers } = fields['f:spec'];

  test.each<[string, string[], Fields]>([
    ['of a field', ['/spec/size'], { 'f:spec': { 'f:args': ownArgs, 'f:containers': ownContainers } }],
    [
      'of what is owned together with an ignored field',
      ['/spec/args/0'],
      { 'f:spec': { 'f:size': ownSize, 'f:containers': ownContainers } },
    ],
    ['of an item', ['/spec/containers/0'], { 'f:spec': { 'f:size': ownSize, 'f:args': ownArgs } }],
    [
      'of a field of an item',
      ['/spec/containers/0/image'],
      { 'f:spec': { ...fields['f:spec'], 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {} } } } },
    ],
  ])('lacks the owner %s', (_name, pointers, expected) => {
    const found = withoutIgnored(object({ spec }, owner(fields)), pointers);
    expect(found.metadata.managedFields).toEqual([owner(expected)]);
  });

  test('lacks who owns nothing else', () => {
    const found = withoutIgnored(object({ spec }, owner({ 'f:spec': { 'f:size': {} } })), ['/spec/size']);
    expect(found.metadata.managedFields).toEqual([]);
  });
});

test('an ignored field is applied as it is live if both have it, and not at all otherwise', () => {
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer());
  fc.assert(
    fc.property(data, data, fc.constantFrom('a', 'b', 'c'), (desired, live, key) => {
      const found = applied({ data: desired }, object({ data: live }), `/data/${key}`);
      const expected = Object.hasOwn(desired, key) ? live[key] : undefined;
      expect((found['data'] as Record<string, number>)[key]).toBe(expected); // as wanted
    }),
  );
});
