import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { schemaFields } from '#console/web/model/schema-fields.js';

test('says of each value what the schema says', () => {
  const schema = {
    required: ['image'],
    properties: {
      image: {
        type: 'object',
        description: 'What runs.',
        required: ['tag'],
        properties: { tag: { type: 'string', default: '1.0' } },
      },
      size: { enum: ['small', 'large'] },
      replicas: { type: ['integer', 'null'] },
      ports: { type: 'array', items: { properties: { port: { type: 'integer' } } } },
      odd: 7,
    },
  };
  const { fields, isCut } = schemaFields(schema);
  expect(isCut).toBe(false);
  const none = { isRequired: false, description: '', fallback: '' };
  expect(fields).toEqual([
    { ...none, path: 'image', type: 'object', isRequired: true, description: 'What runs.' },
    { ...none, path: 'image.tag', type: 'string', isRequired: true, fallback: '"1.0"' },
    { ...none, path: 'size', type: 'one of "small", "large"' },
    { ...none, path: 'replicas', type: 'integer or null' },
    { ...none, path: 'ports', type: 'array' },
    { ...none, path: 'ports[].port', type: 'integer' },
    { ...none, path: 'odd', type: 'any' },
  ]);
});

test('a schema that is too large or too deep is cut, and says so', () => {
  const names = Array.from({ length: 500 }, (_, index) => [`key${index}`, { type: 'string' }] as const);
  const wide = schemaFields({ properties: Object.fromEntries(names) });
  expect(wide.fields).toHaveLength(200);
  expect(wide.isCut).toBe(true);
  let deep: object = { type: 'string' };
  for (let level = 0; level < 1_000; level += 1) deep = { properties: { next: deep } };
  expect(schemaFields(deep).isCut).toBe(true);
});

test('whatever somebody wrote is no reason to fail', () => {
  fc.assert(
    fc.property(fc.object({ key: fc.constantFrom('properties', 'items', 'type', 'enum', 'required', 'a') }), (odd) => {
      expect(schemaFields(odd).fields.every(({ path }) => path.length <= 301)).toBe(true);
    }),
  );
});
