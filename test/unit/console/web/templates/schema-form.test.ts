import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { schemaForm, type FormField } from '#console/web/templates/model/schema-form.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

function fieldOf(property: unknown, known?: unknown): FormField | undefined {
  const defaults = known === undefined ? {} : { it: known };
  return schemaForm({ properties: { it: property } }, defaults).groups[0]?.fields[0];
}

describe('a field', () => {
  test.each<[object, Partial<FormField>]>([
    [
      { type: 'string', title: 'Name', description: 'x' },
      { input: 'text', title: 'Name', description: 'x' },
    ],
    [{ type: ['string', 'null'] }, { input: 'text', title: 'it' }],
    [
      { type: 'integer', default: 3 },
      { input: 'integer', fallback: 3 },
    ],
    [{ type: 'number' }, { input: 'number', fallback: undefined }],
    [
      { type: 'boolean', default: false },
      { input: 'boolean', fallback: false },
    ],
    [{ enum: ['a', 1, null] }, { input: 'choice', choices: ['a', 1, null] }],
    [{ const: 'a' }, { input: 'choice', choices: ['a'] }],
    [
      { type: 'array', items: { type: 'string' } },
      { input: 'list', items: 'text' },
    ],
    [
      { type: 'array', items: { type: 'integer' } },
      { input: 'list', items: 'integer' },
    ],
    [{ type: 'array', items: { type: 'object' } }, { input: 'yaml' }],
    [{ type: 'object' }, { input: 'yaml' }],
    [{ $ref: '#/definitions/x' }, { input: 'yaml' }],
    [{ anyOf: [{ type: 'string' }] }, { input: 'yaml' }],
    [{ type: 'constructor' }, { input: 'yaml' }],
    [
      { type: 'string', default: 5 },
      { input: 'yaml', fallback: 5 },
    ],
    [{ enum: Array.from({ length: 101 }, (_, at) => at), type: 'integer' }, { input: 'integer' }],
  ])('of %j', (property, expected) => {
    expect(fieldOf(property)).toMatchObject(expected);
  });

  test('has the default of the template before that of the schema', () => {
    expect(fieldOf({ type: 'integer', default: 3 }, 5)?.fallback).toBe(5);
    expect(fieldOf({ type: 'integer', default: 3 }, 'five')).toMatchObject({ input: 'yaml', fallback: 'five' });
  });

  test('that has to be said comes first, and YAML last', () => {
    const properties = { a: { type: 'object' }, b: { type: 'string' }, c: { type: 'string' } };
    const [group] = schemaForm({ required: ['c'], properties }, {}).groups;
    expect(group?.fields.map(({ title }) => title)).toEqual(['c', 'b', 'a']);
  });

  test('is required if the schema says so', () => {
    const schema = { required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } };
    expect(schemaForm(schema, {}).groups[0]?.fields.map(({ isRequired }) => isRequired)).toEqual([true, false]);
  });
});

describe('groups', () => {
  const image = { type: 'object', description: 'The image.', properties: { tag: { type: 'string' } } };

  test('are objects with properties', () => {
    const { groups } = schemaForm({ properties: { image, replicas: { type: 'integer' } } }, { image: { tag: '1' } });
    expect(groups).toMatchObject([
      { path: [], fields: [{ path: ['replicas'] }] },
      { title: 'image', description: 'The image.', fields: [{ path: ['image', 'tag'], fallback: '1' }] },
    ]);
  });

  test('are not deeper than anybody can read', () => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < 500; level += 1) schema = { type: 'object', properties: { a: schema } };
    const { groups } = schemaForm(schema, {});
    expect(groups).toMatchObject([{ fields: [{ input: 'yaml', path: ['a', 'a', 'a', 'a', 'a'] }] }]);
  });
});

test('a large schema is cut', () => {
  const properties = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
  const cost = cpuMsOf(() => {
    const form = schemaForm({ properties }, {});
    expect([form.isCut, form.groups[0]?.fields.length]).toEqual([true, 120]);
  });
  expect(cost).toBeLessThan(500);
});

test.each([undefined, null, 'x', [], { properties: [] }, { properties: { a: 1 } }])('%j has no fields', (schema) => {
  expect(schemaForm(schema, schema).groups).toEqual([]);
});

test('no schema is too odd', () => {
  fc.assert(
    fc.property(
      fc.object({ key: fc.constantFrom('properties', 'type', 'items', 'enum', '__proto__', 'a') }),
      (schema) => {
        expect(schemaForm(schema, schema).groups.length).toBeLessThanOrEqual(30);
      },
    ),
  );
});
