import { describe, expect, test } from '@jest/globals';
import { fieldsOf, fieldList, schemaAt } from '#config/reference.js';
import type { StructuralSchema } from '#config/crd.js';

const name: StructuralSchema = { type: 'string', description: 'A name.' };
const schema: StructuralSchema = {
  type: 'object',
  required: ['interval'],
  properties: {
    interval: { type: 'string', description: 'How often.', pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' },
    mode: { type: 'string', description: 'One | the other.', enum: ['a', 'b'] },
    entries: {
      type: 'array',
      description: 'All <of> them.',
      maxItems: 3,
      items: { type: 'object', properties: { name } },
    },
    labels: { type: 'object', description: 'Labels.', additionalProperties: { type: 'string' } },
    count: { type: 'integer', description: 'How many.', minimum: 0 },
  },
};

describe('fieldsOf', () => {
  test('names each field by its path, with type and limits', () => {
    expect(fieldsOf(schema)).toEqual([
      { path: 'interval', type: 'duration', required: true, description: 'How often.' },
      { path: 'mode', type: 'a | b', required: false, description: 'One | the other.' },
      { path: 'entries', type: 'list of object', required: false, description: 'All <of> them. (3 items or fewer)' },
      { path: 'entries[].name', type: 'string', required: false, description: 'A name.' },
      { path: 'labels', type: 'map of string', required: false, description: 'Labels.' },
      { path: 'count', type: 'integer', required: false, description: 'How many. (at least 0)' },
    ]);
  });
});

describe('fieldList', () => {
  test('is a Markdown list in which each description means its text', () => {
    const items = fieldList(schema).split('\n');
    expect(items).toHaveLength(6);
    expect(items[0]).toBe('- `interval` (duration, required): How often.');
    expect(items[2]).toContain('All \\<of\\> them.');
  });

  test('leaves out what has a section of its own', () => {
    const list = fieldList(schema, ['entries[]']);
    expect(list).toContain('`entries`');
    expect(list).not.toContain('entries[].name');
  });
});

describe('schemaAt', () => {
  test.each([
    ['entries[]', schema.properties?.['entries']?.items],
    ['entries[].name', name],
    ['labels.*', { type: 'string' }],
    ['entries.name', undefined],
    ['other[].name', undefined],
  ])('finds %s', (path, expected) => {
    expect(schemaAt(schema, path)).toEqual(expected);
  });
});
