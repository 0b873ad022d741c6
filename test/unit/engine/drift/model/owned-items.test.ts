import { expect, test } from '@jest/globals';
import { OwnedItems } from '#engine/drift/model/owned-items.js';
import { INHERITED } from '../../../../support/inherited-names.js';

const TCP = { 'f:port': {} };
const UDP = { 'f:protocol': {} };
const PORTS = {
  'k:{"port":53,"protocol":"TCP"}': TCP,
  'k:{"port":53,"protocol":"UDP"}': UDP,
  'k:{"port":80,"protocol":"TCP"}': TCP,
};

test.each<[string, unknown, object | undefined]>([
  ['an item is told by all its keys', { port: 53, protocol: 'UDP', nodePort: 1 }, UDP],
  ['one that nobody owns is none', { port: 54, protocol: 'UDP' }, undefined],
  ['one without a key is none', { port: 53 }, undefined],
  ['a text is none', 'TCP', undefined],
])('%s', (_name, item, expected) => {
  expect(new OwnedItems(PORTS).of(item)?.below).toEqual(expected);
});

test.each<[string, unknown, boolean]>([
  ['an item with all keys is the owned one', { port: 53, protocol: 'TCP' }, true],
  ['one with other keys is not', { port: 53, protocol: 'UDP' }, false],
  ['one that leaves a key to a default is, if no other can be meant', { port: 53 }, false],
  ['a text is not', 'TCP', false],
])('%s', (_name, item, expected) => {
  const items = new OwnedItems(PORTS);
  const owned = items.of({ port: 53, protocol: 'TCP' });
  expect(owned && items.isOnly(owned, item)).toBe(expected);
});

test('the only one of its port needs no protocol', () => {
  const items = new OwnedItems(PORTS);
  const owned = items.of({ port: 80, protocol: 'TCP' });
  expect(owned && items.isOnly(owned, { port: 80 })).toBe(true);
});

test.each<[string, object, boolean]>([
  ['a list without parts is one value', {}, true],
  ['so is an empty one', { '.': {} }, true],
  ['a list of items is not', PORTS, false],
  ['a set is not', { 'v:"a"': {} }, false],
])('%s', (_name, fields, expected) => {
  expect(new OwnedItems({ ...fields }).isWhole).toBe(expected);
});

test.each([...INHERITED, 'a.b'])('an item may be told by a field called %s', (name) => {
  const key = { port: 53, ...Object.fromEntries([[name, 'x']]) };
  const items = new OwnedItems({ [`k:${JSON.stringify(key)}`]: TCP });
  const owned = items.of(key);
  expect(owned?.below).toEqual(TCP);
  expect(items.of({ port: 53 })).toBeUndefined();
  expect(owned && [key, { port: 53 }, { port: 53, a: { b: 1 } }].map((item) => items.isOnly(owned, item))).toEqual([
    true,
    true,
    true,
  ]);
});

test('a name with a comma is not taken for two names', () => {
  const items = new OwnedItems({ 'k:{"a":1,"b":1}': TCP, 'k:{"a,b":1}': UDP });
  const [pair, single] = [{ a: 1, b: 1 }, { 'a,b': 1 }].map((item) => items.of(item));
  expect([pair?.below, single?.below]).toEqual([TCP, UDP]);
  expect([pair && items.isOnly(pair, { a: 1, b: 1 }), single && items.isOnly(single, { 'a,b': 1 })]).toEqual([
    true,
    true,
  ]);
});
