import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  choicesAt,
  isRequiredAt,
  isUnknownKey,
  keysAt,
  SchemaTree,
  shapeAt,
  typesAt,
  wordsAt,
} from '#console/web/model/schema-spot.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

const TREE = new SchemaTree({
  type: 'object',
  required: ['size'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', description: 'What it is called.', default: 'web' },
    size: { $ref: '#/$defs/si~1ze' },
    written: { type: 'string', readOnly: true },
    ports: { type: 'array', items: { properties: { port: { type: 'integer' } } } },
    labels: { additionalProperties: { type: 'string' } },
    odd: { patternProperties: { '(a+)+$': { type: 'string' } }, additionalProperties: false },
    self: { $ref: '#' },
    count: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    mixed: { allOf: [{ properties: { a: {} }, required: ['a'] }], oneOf: [{ properties: { b: { type: 'boolean' } } }] },
    on: { type: 'boolean' },
    only: { const: 7 },
    nothing: 3,
  },
  $defs: { 'si/ze': { enum: ['small', 'large'], description: 'How much.' } },
});

test('keys that must be there come first, and what nobody writes is left out', () => {
  const keys = keysAt(TREE.top).map(({ key, isRequired }) => (isRequired ? `${key}!` : key));
  expect(keys.slice(0, 3)).toEqual(['size!', 'name', 'ports']);
  expect(keys).not.toContain('written');
  expect(keysAt(TREE.at(['mixed']))).toEqual([
    { key: 'a', isRequired: true },
    { key: 'b', isRequired: false },
  ]);
  expect(isRequiredAt(TREE.at(['mixed']), 'a')).toBe(true);
});

test.each<[string, (string | number)[], object]>([
  ['what is written there', ['name'], { type: 'string', description: 'What it is called.', fallback: '"web"' }],
  ['a reference', ['size'], { type: 'one of "small", "large"', description: 'How much.', fallback: '' }],
  ['items', ['ports', 7, 'port'], { type: 'integer' }],
  ['free keys', ['labels', 'x'], { type: 'string' }],
  ['a schema in itself', ['self', 'self', 'self', 'name'], { type: 'string' }],
  ['several types', ['count'], { type: 'integer or string' }],
  ['one of several schemas', ['mixed', 'b'], { type: 'boolean' }],
  ['one value', ['only'], { type: 'one of 7' }],
  ['what has no schema', ['nothing'], { type: '' }],
  ['what has none either', ['name', 'x', 3], { type: '' }],
  ['a key of all objects', ['constructor'], { type: '' }],
])('says of %s', (_, path, words) => expect(wordsAt(TREE.at(path))).toMatchObject(words));

test('choices are those of the schema, and yes and no', () => {
  expect(choicesAt(TREE.at(['size']))).toEqual(['small', 'large']);
  expect(choicesAt(TREE.at(['on']))).toEqual([true, false]);
  expect(choicesAt(TREE.at(['only']))).toEqual([7]);
  expect(choicesAt(TREE.at(['name']))).toEqual([]);
});

test('a key is unknown only where it must be', () => {
  expect(isUnknownKey(TREE.top, 'nmae')).toBe(true);
  expect(isUnknownKey(TREE.top, 'constructor')).toBe(true);
  expect(isUnknownKey(TREE.top, 'nothing')).toBe(false);
  expect(isUnknownKey(TREE.at(['odd']), 'x')).toBe(false);
  expect(isUnknownKey(TREE.at(['labels']), 'x')).toBe(false);
});

test('a type is wrong only where it must be', () => {
  expect(typesAt(TREE.at(['count']))).toEqual([['integer', 'string']]);
  expect(typesAt(TREE.at(['mixed', 'b']))).toEqual([]);
  expect(shapeAt(TREE.at(['ports']))).toBe('array');
  expect(shapeAt(TREE.at(['ports', 0]))).toBe('object');
  expect(shapeAt(TREE.at(['count']))).toBeUndefined();
});

test('a schema without an end takes no time', () => {
  const wide = Array.from({ length: 100_000 }, () => ({ $ref: '#' }));
  const tree = new SchemaTree({ allOf: wide, anyOf: [{ allOf: wide }], properties: { a: { $ref: '#' } } });
  const path = Array.from({ length: 5_000 }, () => 'a');
  expect(cpuMsOf(() => expect(wordsAt(tree.at(path)).type).toBe('any'))).toBeLessThan(2_000);
});

test('any schema can be asked', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.string()), (schema, path) => {
      const spot = new SchemaTree({ ...schema, properties: schema }).at(path);
      wordsAt(spot);
      keysAt(spot);
      typesAt(spot);
    }),
  );
});
