import { expect, test } from '@jest/globals';
import type { ManagedFieldsEntry } from '#api/meta.js';
import { ownedPart, ownersOf } from '#controllers/engine/drift/model/owned-part.js';
import { parseJson } from '#controllers/runtime/pure/lossless-json.js';

type Fields = Readonly<Record<string, unknown>>;

function entry(manager: string, fieldsV1: Fields, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return { manager, operation: 'Apply', apiVersion: 'v1', fieldsV1, ...more };
}

function partOf(live: unknown, ...entries: ManagedFieldsEntry[]): unknown {
  return ownedPart(live, ownersOf(entries, { manager: 'us', apiVersion: 'v1' }));
}

const PORTS = [
  { port: 80, protocol: 'TCP', name: 'web' },
  { port: 80, protocol: 'UDP', name: 'quic' },
];
const TCP = 'k:{"port":80,"protocol":"TCP"}';
const UDP = 'k:{"port":80,"protocol":"UDP"}';

test.each<[string, unknown, ManagedFieldsEntry[], unknown]>([
  ['what nobody owns', { a: 1 }, [], undefined],
  ['what others own', { a: 1 }, [entry('them', { 'f:a': {} })], undefined],
  ['what we updated, and did not apply', { a: 1 }, [entry('us', { 'f:a': {} }, { operation: 'Update' })], undefined],
  ['what we applied to a subresource', { a: 1 }, [entry('us', { 'f:a': {} }, { subresource: 'scale' })], undefined],
  ['fields of a map', { a: 1, b: 2 }, [entry('us', { 'f:a': {} })], { a: 1 }],
  [
    'fields deep in maps',
    { a: { b: { c: 1, d: 2 } } },
    [entry('us', { 'f:a': { 'f:b': { 'f:d': {} } } })],
    { a: { b: { d: 2 } } },
  ],
  ['a map as a whole', { a: { b: 1 } }, [entry('us', { 'f:a': {} })], { a: { b: 1 } }],
  [
    'a map that we applied empty, and others filled',
    { a: { b: 1 } },
    [entry('us', { 'f:a': {} }), entry('them', { 'f:a': { 'f:b': {} } })],
    { a: {} },
  ],
  [
    'a map of which only the place is left',
    { a: { b: 1 } },
    [entry('us', { 'f:a': { '.': {}, 'f:c': {} } })],
    { a: {} },
  ],
  ['a list as a whole', { a: [1, 2] }, [entry('us', { 'f:a': {} })], { a: [1, 2] }],
  [
    'items by their keys',
    { a: PORTS },
    [entry('us', { 'f:a': { [UDP]: { '.': {}, 'f:name': {} } } })],
    { a: [PORTS[1]] },
  ],
  [
    'of an item its keys, whoever owns them',
    { a: PORTS },
    [entry('us', { 'f:a': { [TCP]: { 'f:name': {} } } })],
    { a: [PORTS[0]] },
  ],
  [
    'no item of others',
    { a: PORTS },
    [entry('us', { 'f:a': {} }), entry('them', { 'f:a': { [TCP]: { '.': {} } } })],
    { a: [] },
  ],
  ['items of a set', { a: ['x', 'y'] }, [entry('us', { 'f:a': { 'v:"y"': {} } })], { a: ['y'] }],
  ['items by their places, as a whole', { a: [1, 2] }, [entry('us', { 'f:a': { 'i:0': {} } })], { a: [1, 2] }],
  ['everything, applied in another version', { a: 1 }, [entry('us', { 'f:old': {} }, { apiVersion: 'v0' })], { a: 1 }],
  ['nothing that is gone', { b: 1 }, [entry('us', { 'f:a': {} })], undefined],
  ['what does not fit its owner, as it is', { a: 1 }, [entry('us', { 'f:a': { 'f:b': {} } })], { a: 1 }],
])('owned is %s', (_name, live, entries, expected) => {
  expect(partOf(live, ...entries)).toEqual(expected);
});

test('a field may have any name', () => {
  const live = parseJson('{"__proto__":{"a":1},"constructor":2}');
  const found = partOf(live, entry('us', parseJson('{"f:__proto__":{"f:a":{}},"f:constructor":{}}') as Fields)); // as written
  expect(JSON.stringify(found)).toBe('{"__proto__":{"a":1},"constructor":2}');
});

test('large numbers are told from their neighbors', () => {
  const live = parseJson('{"a":[{"id":9007199254740993},{"id":9007199254740992}]}');
  const fields = { 'f:a': { 'k:{"id":9007199254740993}': { '.': {}, 'f:id': {} } } };
  expect(JSON.stringify(partOf(live, entry('us', fields)))).toContain('9007199254740993');
});
