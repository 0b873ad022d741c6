import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import cloneDeep from 'lodash/cloneDeep.js';
import isEqual from 'lodash/isEqual.js';
import { digestOf } from '#lib/hash.js';
import { parseHolding } from '#lib/json/held-fields.js';
import { opened } from '#lib/json/held-map.js';
import { printJson } from '#lib/json/lossless-json.js';
import { isDeeperThan, nestsDeeper, parseServed } from '#lib/json/nesting.js';
import { includes } from '#lib/json/subset.js';
import { copyPlain, isMap, mergeMaps, type PlainMap } from '#lib/plain.js';
import { heldBytes } from '../../support/heap.js';

const MIB = 1024 * 1024;
const many = (text: string, length: number): string =>
  `[${Array(Math.ceil(length / (text.length + 1)))
    .fill(text)
    .join(',')}]`;
const EMPTY = many('{}', MIB);
const EMPTY_VALUES = `{"a":${EMPTY}}`;

function objectOf(spec: string, metadata = '"name":"web"'): string {
  return `{"kind":"Application","metadata":{${metadata}},"spec":{${spec}},"status":{"a":[{}]}}`;
}

function specOf(value: unknown): PlainMap {
  return (value as { spec: PlainMap }).spec;
}

function isHeld(value: unknown): boolean {
  return isMap(value) && opened(value) !== value;
}

describe('a field that takes much more memory than its text', () => {
  it.each([
    ['empty maps', EMPTY_VALUES],
    ['lists in lists', `{"a":${many('[[],[]]', MIB)}}`],
    ['many lists, each of them small', `{"a":${many(many('{}', 3_000), MIB)}}`],
    ['many maps at the top', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":{}`).join(',')}}`],
  ])('reads as before, and takes the memory of its text: %s', (_, values) => {
    const texts = Array.from({ length: 8 }, (_each, index) => objectOf(`"index":${index},"values":${values}`));
    const before = heldBytes();
    const objects = texts.map((text) => parseHolding(text, 1));
    expect(heldBytes() - before).toBeLessThan(8 * 2.5 * MIB);
    expect(isHeld(specOf(objects[3])['values'])).toBe(true);
    const plain = parseServed(texts[3] ?? '');
    expect(isEqual(objects[3], plain) && isEqual(plain, objects[3])).toBe(true);
    expect(printJson(objects[3]) === texts[3]).toBe(true);
  });

  it('takes it wherever it is: in entries, templates and revisions, one beside the other', () => {
    const values = `"values":${EMPTY_VALUES}`;
    const deploy = `"config":{"helmRelease":{"deploy":[{"destination":{"a":1},${values}},{"overrides":[{${values}}]}]}}`;
    const application = objectOf(`"fluxApp":{"spec":{${deploy}}}`);
    const template = objectOf(`"deploy":{"timeout":"1m"},${values},"valuesSchema":${EMPTY_VALUES}`);
    const revision = `{"kind":"ControllerRevision","metadata":{},"data":{"spec":{${deploy}}},"revision":1}`;
    const before = heldBytes();
    const objects = [application, template, revision].map((text) => parseHolding(text, 1));
    expect(heldBytes() - before).toBeLessThan(8 * MIB);
    expect(objects.map((each) => printJson(each))).toEqual([application, template, revision]);
  });

  it('is found in a list and in an event, and nothing changes in the others', () => {
    const [small, dense] = [objectOf('"values":{"a":[{}]}'), objectOf(`"values":${EMPTY_VALUES}`)];
    const list = parseHolding(`{"kind":"List","metadata":{},"items":[${small},${dense},${small}]}`, 3);
    const { items } = list as { items: object[] };
    expect(items.map((item) => isHeld(specOf(item)['values']))).toEqual([false, true, false]);
    expect(items.map((item) => printJson(item))).toEqual([small, dense, small]);
    const event = parseHolding(`{"type":"ADDED","object":${dense}}`, 2) as { object: unknown };
    expect(isHeld(specOf(event.object)['values'])).toBe(true);
  });

  it('keeps numbers that a double changes, keys that mean something, and texts with quotes and brackets', () => {
    const values = `{"__proto__":{"a":1},"constructor":1,"n":12345678901234567890.10,"t":"\\"}]{[é","toJSON":1,"e":${EMPTY}}`;
    const text = objectOf(`"values":${values}`);
    const held = specOf(parseHolding(text, 1))['values'] as PlainMap;
    expect(isHeld(held)).toBe(true);
    expect(printJson(held) === values).toBe(true);
    expect(Object.keys(held)).toEqual(['__proto__', 'constructor', 'n', 't', 'toJSON', 'e']);
    expect([Object.hasOwn(held, 'toJSON'), Object.hasOwn(held, 'toString'), 'e' in held]).toEqual([true, false, true]);
  });
});

describe('a held map', () => {
  const held = specOf(parseHolding(objectOf(`"values":{"a":${EMPTY},"b":{"c":1}}`), 1))['values'] as PlainMap;

  it('is a map to whoever reads it', () => {
    expect(isMap(held) && isHeld(held)).toBe(true);
    expect(Object.entries(held).map(([key]) => key)).toEqual(['a', 'b']);
    expect({ ...held }).toHaveProperty('b.c', 1);
    expect(mergeMaps(held, { b: { d: 2 } })['b']).toEqual({ c: 1, d: 2 });
    expect(mergeMaps({ b: { d: 2 } }, held)['b']).toEqual({ c: 1, d: 2 });
    expect(isDeepStrictEqual(copyPlain(held), cloneDeep(held))).toBe(true);
    expect([nestsDeeper(held, 2), nestsDeeper(held, 3)]).toEqual([true, false]);
    expect(Object.getOwnPropertyNames(held)).toEqual(['a', 'b']);
    expect(held['toJSON']).toBeInstanceOf(Function);
  });

  it('stays one and the same, and refuses changes, which nobody would see', () => {
    const object = { values: held };
    expect(mergeMaps({}, object)['values'] === held).toBe(true);
    expect(() => (held['b'] = 1)).toThrow(TypeError);
    expect(() => delete held['b']).toThrow(TypeError);
    expect(() => Object.defineProperty(held, 'x', { value: 1 })).toThrow(TypeError);
    expect(() => Object.freeze(held)).toThrow(TypeError);
    expect(held['b']).toEqual({ c: 1 });
  });

  it('is read once by whoever compares it with another one, key by key', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `"k${index}":{}`).join(',');
    const [one, other] = [0, 1].map(() => specOf(parseHolding(objectOf(`"values":{${keys}}`), 1))['values']);
    expect(isHeld(one) && isHeld(other)).toBe(true);
    const startedAt = process.cpuUsage();
    expect(isEqual(one, other)).toBe(true);
    // 40,000 times a text of 200 KB would take minutes.
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(3_000);
  });
});

it.each([
  [
    'values as people write them',
    many(`{"name":"web","image":{"repository":"r.example/web","tag":"1.2.3"},"ports":[80,443]}`, MIB),
  ],
  ['one long text', JSON.stringify('"{[,'.repeat(MIB))],
  ['short texts', many('"abcdefgh"', MIB)],
  ['a small list of empty maps', many('{}', 5_000)],
])('nothing is held of %s', (_, value) => {
  const text = objectOf(`"values":{"a":${value}}`);
  expect(isHeld(specOf(parseHolding(text, 1))['values'])).toBe(false);
});

it('what nests too deep is cut before anything is held', () => {
  const deep = `${'['.repeat(3_000)}${']'.repeat(3_000)}`;
  const { spec } = parseHolding(objectOf(`"values":{"deep":${deep},"a":${EMPTY}}`), 1) as { spec: PlainMap };
  expect(isHeld(spec['values'])).toBe(true);
  expect(nestsDeeper(spec, 500)).toBe(true);
  expect(isDeeperThan(printJson(spec), 1_000)).toBe(false);
});

describe('what a reconciliation asks of held values', () => {
  const parsed = () => jest.spyOn(JSON, 'parse');
  const text = objectOf(`"interval":"1m","values":${EMPTY_VALUES}`);
  const [one, other] = [parseHolding(text, 1), parseHolding(text, 1)];
  const longer = parseHolding(objectOf(`"interval":"1m","values":{"a":${EMPTY},"b":1}`), 1);
  const similar = parseHolding(text.replace('{"a":[{}', '{"a":[[]'), 1);
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is their digest, for which they are parsed once', () => {
    const digest = digestOf(one);
    expect(digest).toBe(digestOf(parseServed(text)));
    const calls = parsed();
    expect(digestOf(other)).toBe(digest);
    expect(calls).not.toHaveBeenCalled();
    expect(digestOf({ ...(other as PlainMap), kind: 'Other' })).not.toBe(digest);
    expect(new Set([one, longer, similar].map(digestOf)).size).toBe(3);
    expect(digestOf([{ a: one, b: 1 }])).toBe(digestOf([{ a: parseServed(text), b: 1 }]));
  });

  it('is whether others include them, which equal texts show', () => {
    const calls = parsed();
    expect(includes(one, other)).toBe(true);
    expect(calls).not.toHaveBeenCalled();
    expect(includes(one, parseServed(text))).toBe(true);
    expect(includes(longer, one)).toBe(true);
    expect(includes(one, longer)).toBe(false);
    expect(includes(one, similar)).toBe(false);
  });
});
