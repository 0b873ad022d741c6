import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  enteredValues,
  OTHERS,
  problemsByField,
  shownText,
  type Entered,
} from '#console/web/templates/model/use-form.js';
import { printJson } from '#lib/json/lossless-json.js';
import { schemaForm } from '#console/web/templates/model/schema-form.js';

const FORM = schemaForm(
  {
    required: ['host'],
    properties: {
      host: { type: 'string' },
      replicas: { type: 'integer', default: 2 },
      ratio: { type: 'number' },
      debug: { type: 'boolean', default: false },
      size: { enum: ['small', 'large'] },
      names: { type: 'array', items: { type: 'string' } },
      ports: { type: 'array', items: { type: 'integer' }, default: [80] },
      extra: { type: 'object' },
      image: { type: 'object', properties: { tag: { type: 'string', default: '1.0' } } },
    },
  },
  {},
);

const valuesOf = (entered: Entered): unknown => enteredValues(FORM, { host: 'h', ...entered }).values;

describe('values', () => {
  test.each<[Entered, object]>([
    [{}, {}],
    [{ replicas: '3' }, { replicas: 3 }],
    [{ replicas: '2' }, {}],
    [{ replicas: '' }, { replicas: null }],
    [{ ratio: '' }, {}],
    [{ ratio: '0.5' }, { ratio: 0.5 }],
    [{ debug: 'true' }, { debug: true }],
    [{ size: '"large"' }, { size: 'large' }],
    [{ size: '' }, {}],
    [{ names: ' a \n\nb' }, { names: ['a', 'b'] }],
    [{ ports: '80' }, {}],
    [{ ports: '' }, { ports: [] }],
    [{ extra: 'a: [1]' }, { extra: { a: [1] } }],
    [{ 'image.tag': '' }, { image: { tag: '' } }],
    [
      { 'image.tag': '2', [OTHERS]: 'image: { pull: x }\nother: 1' },
      { image: { pull: 'x', tag: '2' }, other: 1 },
    ],
  ])('of %j', (entered, values) => {
    expect(valuesOf(entered)).toEqual({ host: 'h', ...values });
  });

  test('are the choice that was made, wherever it is now, and name one that there is no more', () => {
    const of = (...sizes: string[]) =>
      enteredValues(schemaForm({ properties: { size: { enum: sizes } } }, {}), { size: '"large"' });
    expect(of('small', 'large').values).toEqual({ size: 'large' });
    expect(of('small', 'medium', 'large').values).toEqual({ size: 'large' });
    expect(of('small', 'medium')).toEqual({
      values: {},
      problems: [{ field: 'size', message: '"large" is no longer a choice: choose another' }],
    });
  });

  test.each([
    ['replicas', '9007199254740993'],
    ['replicas', '-12345678901234567'],
    ['ratio', '0.12345678901234567890'],
    ['ports', '9007199254740993\n80'],
  ])('of %s keep each digit of %s', (field, text) => {
    const printed = printJson(enteredValues(FORM, { host: 'h', [field]: text }).values);
    expect(printed).toContain(text.replace('\n', ','));
  });

  test('have no key that means something to JavaScript', () => {
    const form = schemaForm(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'), {});
    const entered = JSON.parse('{"__proto__": "x"}') as Entered;
    expect(JSON.stringify(enteredValues(form, entered).values)).toBe('{"__proto__":"x"}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

test.each<[Entered, string, string]>([
  [{ host: '' }, 'host', 'it is required'],
  [{ replicas: 'many' }, 'replicas', 'it must be a number'],
  [{ replicas: '0x10' }, 'replicas', 'it must be a number'],
  [{ ratio: '1e999' }, 'ratio', 'it must be a number'],
  [{ replicas: '1.00000000000000000001' }, 'replicas', 'it must be a whole number'],
  [{ replicas: '1.5' }, 'replicas', 'it must be a whole number'],
  [{ ports: '80\nx' }, 'ports', 'it must be a number'],
  [{ extra: '{' }, 'extra', 'line 1'],
  [{ [OTHERS]: '- a' }, OTHERS, 'values are a map'],
])('%j has a problem', (entered, field, says) => {
  const { problems } = enteredValues(FORM, { host: 'h', ...entered });
  expect(problems).toEqual([{ field, message: expect.stringContaining(says) }]);
});

test('problems stand next to their field, the others next to the rest', () => {
  const found = problemsByField(FORM, [
    { field: 'image.tag', message: 'a' },
    { field: 'ports[1]', message: 'b' },
    { field: 'ports', message: 'c' },
    { field: '', message: 'd' },
    { field: 'unknown.x', message: 'e' },
  ]);
  expect([...found]).toEqual([
    ['image.tag', 'a'],
    ['ports', 'b; c'],
    [OTHERS, 'd; unknown.x: e'],
  ]);
});

test('what a field shows first changes nothing', () => {
  const fields = FORM.groups.flatMap((group) => group.fields);
  const entered = Object.fromEntries(fields.map((field) => [field.path.join('.'), shownText(field)]));
  expect(valuesOf({ ...entered, host: 'h' })).toEqual({ host: 'h' });
});

test('nothing that is typed throws', () => {
  const keys = ['host', 'replicas', 'size', 'names', 'ports', 'extra', 'image.tag', OTHERS];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), fc.string()), (entered) => {
      expect(enteredValues(FORM, entered)).toMatchObject({ values: expect.anything(), problems: expect.anything() });
    }),
  );
});
