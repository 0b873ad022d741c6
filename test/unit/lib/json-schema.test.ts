import { describe, expect, it } from '@jest/globals';
import { compileSchema, validateValues } from '#lib/json/json-schema.js';
import { RawNumber } from '#lib/json/lossless-json.js';

const SCHEMA = {
  type: 'object',
  required: ['replicas'],
  properties: {
    replicas: { type: 'integer', minimum: 1 },
    ports: { type: 'array', items: { type: 'object', properties: { 'a/b': { type: 'string' } } } },
    host: { type: 'string', pattern: '^[a-z.]+$' },
  },
};

describe('a JSON schema', () => {
  const check = compileSchema(SCHEMA);

  it.each<[string, unknown, string, string]>([
    ['a bound', { replicas: 0 }, 'replicas', 'must be >= 1'],
    ['a type', { replicas: 'two' }, 'replicas', 'must be integer'],
    ['a field that is missing', {}, '', "must have required property 'replicas'"],
    ['a place in a list', { replicas: 1, ports: [{ 'a/b': 1 }] }, 'ports[0].a/b', 'must be string'],
    ['a pattern', { replicas: 1, host: 'A' }, 'host', 'must match pattern "^[a-z.]+$"'],
    [
      'a number that a double cannot hold',
      { replicas: new RawNumber('-9007199254740993') },
      'replicas',
      'must be >= 1',
    ],
  ])('names %s', (_name, value, path, message) => {
    expect(check(value)).toMatchObject([{ path, message }]);
  });

  it('has nothing to say of what fits', () => {
    expect(check({ replicas: 1, ports: [], host: 'a.b' })).toEqual([]);
  });

  it('names an unknown field', () => {
    const closed = compileSchema({ properties: { a: {} }, additionalProperties: false });
    expect(closed({ b: 1 })).toMatchObject([{ path: '', message: 'must NOT have additional properties ("b")' }]);
  });

  it('takes no longer for a pattern that is made to take long', () => {
    const evil = compileSchema({ type: 'string', pattern: '^(a+)+$' });
    expect(evil(`${'a'.repeat(50_000)}!`)).toHaveLength(1);
  });

  it.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])(
    'may be %s',
    ($schema) => {
      expect(compileSchema({ $schema, type: 'object' })([])).toHaveLength(1);
    },
  );

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a type that does not exist', { type: 'text' }, /type/],
    ['a bound that is no number', { minimum: 'one' }, /minimum/],
    ['another dialect', { $schema: 'http://json-schema.org/draft-03/schema#' }, /draft-03.*use draft-07/],
    ['a reference to elsewhere', { $ref: 'https://example.org/schema.json' }, /can't resolve reference/],
    ['a pattern that is none', { pattern: '(' }, /missing closing|\(/],
    ['a check that would have to wait', { $async: true }, /\$async/],
  ])('is refused for %s', (_name, schema, message) => {
    expect(() => compileSchema(schema)).toThrow(message);
  });
});

describe('a result', () => {
  it('has the problems of each value', () => {
    expect(validateValues({ type: 'object' }, [{}, 1])).toEqual({
      problems: [[], [{ path: '', message: 'must be object', keyword: 'type' }]],
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'refers to itself',
      { definitions: { a: { allOf: [{ $ref: '#/definitions/a' }] } }, $ref: '#/definitions/a' },
      'it is infinitely recursive',
    ],
    ['is none', { type: 'text' }, 'schema is invalid'],
  ])('is why a schema cannot be used that %s', (_title, schema, problem) => {
    expect(validateValues(schema, [{}])).toEqual({ problem: expect.stringContaining(problem) });
  });
});
