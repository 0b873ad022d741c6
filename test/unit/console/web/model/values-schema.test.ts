import { expect, test } from '@jest/globals';
import { applicationSchema } from '#console/shared/application-schema.js';
import { SchemaTree, wordsAt } from '#console/web/model/schema-spot.js';
import { treeOfValues, withValuesSchema } from '#console/web/model/values-schema.js';
import { findingsOf } from '#console/web/model/yaml-findings.js';

const VALUES = {
  additionalProperties: false,
  properties: { 'a/b': { $ref: '#/definitions/port' }, image: { properties: { tag: { type: 'string' } } } },
  definitions: { port: { type: 'integer', description: 'Where it listens.' } },
};
const PATH = ['spec', 'fluxApp', 'spec', 'config', 'helmRelease', 'deploy', 0, 'values'];

test('values of an Application are those of the schema of its template', () => {
  const tree = new SchemaTree(withValuesSchema(applicationSchema(), VALUES));
  expect(wordsAt(tree.at([...PATH, 'a/b']))).toMatchObject({ type: 'integer', description: 'Where it listens.' });
  expect(wordsAt(tree.at(PATH)).description).toContain('alues');
  const text = 'spec: {fluxApp: {spec: {config: {helmRelease: {deploy: [{values: {"a/b": x, c: 1}}]}}}}}';
  expect(findingsOf(text, tree).findings.map((each) => each.text)).toEqual([
    'it must be of type integer, and is a text',
    'there is no field "c" here',
  ]);
});

let deep: object = {};
for (let level = 0; level < 100_000; level += 1) deep = { properties: { a: deep } };

test.each([
  ['none', undefined],
  ['what is none', 'x'],
  ['one that nests without end', deep],
])('%s changes nothing', (_, schema) => {
  const application = applicationSchema();
  expect(withValuesSchema(application, schema)).toBe(application);
  expect(treeOfValues(schema, [])).toBeUndefined();
});

test('one value has its part of the schema', () => {
  expect(wordsAt(treeOfValues(VALUES, ['image'])?.at(['tag']) ?? []).type).toBe('string');
  expect(wordsAt(treeOfValues(VALUES, ['a/b'])?.top ?? []).type).toBe('integer');
});
