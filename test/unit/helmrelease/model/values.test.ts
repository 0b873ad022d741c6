import { describe, expect, test } from '@jest/globals';
import type { ValuesReference } from '#api/flux/helm-release-fields.js';
import { composeValues, secretsIn, type ResolvedReference } from '#controllers/helmrelease/model/values.js';
import { configDigest } from '#controllers/helmrelease/model/digest.js';
import { RawNumber } from '#lib/json/lossless-json.js';
import { INHERITED } from '../../../support/inherited-names.js';
import { nested } from '../../../support/nested.js';
import { GOLDEN } from './values-golden.js';

function ref(data: Record<string, string> | undefined, change: Partial<ValuesReference> = {}): ResolvedReference {
  return { reference: { kind: 'ConfigMap', name: 'settings', ...change }, namespace: 'shop', data };
}

function values(references: ResolvedReference[], inline?: Record<string, unknown>): unknown {
  const composed = composeValues(references, inline);
  return 'values' in composed ? composed.values : composed.problem;
}

const file = (text: string, change: Partial<ValuesReference> = {}): ResolvedReference =>
  ref({ 'values.yaml': text }, change);
const at = (targetPath: string, text: string, change: Partial<ValuesReference> = {}): ResolvedReference =>
  ref({ key: text }, { valuesKey: 'key', targetPath, ...change });

function resolve({ references, sources }: typeof GOLDEN.question): ResolvedReference[] {
  return references.map((reference) => {
    const found = sources.find(({ kind, name }) => kind === reference.kind && name === reference.name);
    return { reference, namespace: 'shop', data: found?.data };
  });
}

describe('composeValues', () => {
  test('all ways at once, as Flux composes them', () => {
    const composed = values(resolve(GOLDEN.question), GOLDEN.question.inline);
    expect(composed).toEqual(GOLDEN.values);
    expect(configDigest(composed as Record<string, unknown>)).toBe(GOLDEN.digest);
  });

  test.each<[string, ResolvedReference[], Record<string, unknown> | undefined, unknown]>([
    ['nothing gives nothing', [], undefined, {}],
    ['too many levels', [], nested(501), 'spec.values nests more than 500 lists and maps: make the values flatter'],
    ['as many levels as there may be', [], nested(500), nested(500)],
    ['an empty file gives nothing', [file('')], undefined, {}],
    ['later files win, maps merge', [file('a: {b: 1, c: 2}'), file('a: {c: 3}')], undefined, { a: { b: 1, c: 3 } }],
    ['lists replace', [file('a: [1, 2]'), file('a: [3]')], undefined, { a: [3] }],
    ['inline values win', [file('a: 1\nb: 2')], { a: 9 }, { a: 9, b: 2 }],
    ['null stays null', [file('a: 1')], { a: null }, { a: null }],
    ['a target path sets one value', [at('a.b', '5')], undefined, { a: { b: 5 } }],
    ['a target path takes a word as it is meant', [at('a', 'true')], undefined, { a: true }],
    ['quotes make text', [at('a', '"5"'), at('b', "'true'")], undefined, { a: '5', b: 'true' }],
    ['literal keeps commas and braces', [at('a', '{x},y=z', { literal: true })], undefined, { a: '{x},y=z' }],
    ['literal keeps backslashes and quotes', [at('a', '"\\n"', { literal: true })], undefined, { a: '"\\n"' }],
    ['literal ends a list item only with its text', [at('a[0]', '', { literal: true })], undefined, { a: [''] }],
    ['quotes of both kinds go', [at('a', `"'x'"`)], undefined, { a: 'x' }],
    ['a quote alone is an empty text', [at('a', '"')], undefined, { a: '' }],
    ['an empty valuesKey is the default one', [file('a: 1', { valuesKey: '' })], undefined, { a: 1 }],
    ['dots can be escaped', [at('a\\.b', 'x')], undefined, { 'a.b': 'x' }],
    ['an optional object may be missing', [ref(undefined, { optional: true })], { a: 1 }, { a: 1 }],
    ['an optional key may be missing', [ref({}, { optional: true })], { a: 1 }, { a: 1 }],
    ['an inline scalar at the top wins over a target path', [at('a', '5')], { a: 1 }, { a: 1 }],
    [
      'a target path reaches into inline maps and lists',
      [at('nested.configuration[0]', 'value')],
      { nested: { configuration: ['old', 'item', 'option'] } },
      { nested: { configuration: ['value', 'item', 'option'] } },
    ],
  ])('%s', (_name, references, inline, expected) => {
    expect(values(references, inline)).toEqual(expected);
  });

  test.each<[string, ResolvedReference, string]>([
    ['a missing object', ref(undefined), 'could not find ConfigMap shop/settings'],
    ['a missing key', ref({ other: '' }, { kind: 'Secret' }), 'missing key "values.yaml" in Secret shop/settings'],
    ['bad YAML', file('a: [s3cret'), 'key "values.yaml" in ConfigMap shop/settings is not a YAML map'],
    ['a scalar', file('s3cret'), 'key "values.yaml" in ConfigMap shop/settings is not a YAML map'],
    [
      'a value that does not fit',
      at('a', 's3cret,b'),
      'key "key" in ConfigMap shop/settings cannot be set at targetPath "a": its text is read as by helm --set, for ' +
        'which , [ ] { } and \\ have a meaning: set literal: true to use it as it is',
    ],
    [
      'a path that is none',
      at('a[x]', 's3cret'),
      'cannot be set at targetPath "a[x]": it is no path, or something on it is no map or no list: correct targetPath',
    ],
  ])('%s is named without its content', (_name, reference, expected) => {
    const problem = values([reference]);
    expect(problem).toEqual(expect.stringContaining(expected));
    expect(problem).not.toContain('s3cret');
  });

  test('a path that leads through a text of spec.values is at fault, and not the value', () => {
    expect(values([at('a.b', 's3cret,b')], { a: 'text' })).toEqual(expect.stringContaining('correct targetPath'));
  });

  test('what does not fit as it is does so with the field of the message', () => {
    expect(values([at('a', 'b,c', { literal: true })])).toEqual({ a: 'b,c' });
  });

  test('does not change the inline values of the object in the cache', () => {
    const inline = Object.freeze({ nested: Object.freeze({ list: Object.freeze(['a']) }) });
    expect(values([at('nested.list[0]', 'b')], inline)).toEqual({ nested: { list: ['b'] } });
  });

  test('numbers beyond 2^53 survive', () => {
    const big = new RawNumber('9007199254740993');
    expect(values([], { a: { big } })).toEqual({ a: { big } });
  });
});

test.each(INHERITED)('the key %s is missing unless the object has it', (valuesKey) => {
  const problem = `missing key "${valuesKey}" in ConfigMap shop/settings: add the key, or set valuesKey or optional: true`;
  expect(values([ref({}, { valuesKey })])).toBe(problem);
  expect(values([ref({}, { valuesKey, optional: true })], { a: 1 })).toEqual({ a: 1 });
  expect(values([ref(Object.fromEntries([[valuesKey, 'a: 1']]), { valuesKey })])).toEqual({ a: 1 });
});

describe('secretsIn', () => {
  const secret = { kind: 'Secret' } as const;

  test.each<[string, ResolvedReference[], string[], string[]]>([
    ['a ConfigMap has none', [file('a: b'), at('c', 'd')], [], []],
    [
      'a file has its values and keys',
      [file('a: {b: [pass, 5432, true, null]}', secret)],
      ['5432', 'pass'],
      ['a', 'b'],
    ],
    ['a key that is missing has nothing', [ref(undefined, { ...secret, optional: true })], [], []],
    ['a target path has the text, and it without quotes', [at('a', '"p,w"', secret)], ['"p,w"', 'p', 'p,w'], ['a']],
    ['a target path has what it is read as', [at('b', '{one,two}', secret)], ['one', 'two', '{one,two}'], ['b']],
    ['a text that is no value is a secret all the same', [at('b', '{one', secret)], ['{one'], []],
  ])('%s', (_name, references, values, keys) => {
    const found = secretsIn(references);
    expect([...new Set(found.secret)].sort()).toEqual(expect.arrayContaining(values));
    expect(found.secret.length === 0).toBe(values.length === 0);
    expect(found.doubtful).toEqual(expect.arrayContaining(keys));
  });
});
