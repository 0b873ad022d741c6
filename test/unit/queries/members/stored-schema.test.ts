import { afterAll, describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { type SchemaQuestion, type SchemaVerdict, storedSchemaTask } from '#queries/members/stored-schema.js';
import { answerOf } from '#runtime/isolation/offload.js';
import { builtOffload } from '../../../support/offload.js';

const offload = builtOffload();

afterAll(() => offload.close());

function packed(chart: object): string {
  return Buffer.from(gzipSync(JSON.stringify({ chart })).toString('base64')).toString('base64');
}

const SCHEMA = {
  type: 'object',
  required: ['replicas'],
  properties: { light: { type: 'object', properties: { color: { enum: ['red', 'blue'] } } } },
};

function chart(more: object = {}, schema: object | null = SCHEMA) {
  const text = schema === null ? null : Buffer.from(JSON.stringify(schema)).toString('base64');
  return { metadata: { name: 'lighthouse', version: '1.5.0', ...more }, values: { replicas: 1 }, schema: text };
}

function ask(of: object, values: SchemaQuestion['values'], version = '1.5.0'): Promise<SchemaVerdict> {
  const input = JSON.stringify({ data: packed(of), values, version });
  return answerOf<SchemaVerdict>(offload.run(storedSchemaTask, input, 'shop'), ({ message }) => ({ problem: message }));
}

describe('the schema of a chart that is deployed', () => {
  test('refuses values over the defaults of the chart', async () => {
    expect(await ask(chart(), { light: { color: 'blue' } })).toEqual({ problems: [] });
    const refused = [expect.objectContaining({ path: 'light.color', keyword: 'enum' })];
    expect(await ask(chart(), { light: { color: 'purple' } })).toEqual({ problems: refused });
    expect(await ask(chart({}, null), { light: { color: 'purple' } })).toEqual({ problems: [] });
  });

  const draft04 = { $schema: 'http://json-schema.org/draft-04/schema#' };
  test.each<[string, () => Promise<SchemaVerdict>, string]>([
    ['of another version', () => ask(chart(), {}, '1.6.0'), 'not of chart version 1.6.0'],
    ['with subcharts', () => ask(chart({ dependencies: [{ name: 'db' }] }), {}), 'the chart has dependencies'],
    ['with what null removes', () => ask(chart(), { light: { color: null } }), 'a value is null'],
    ['of another dialect', () => ask(chart({}, draft04), {}), 'unknown'],
    ['that is none', () => ask({ metadata: {} }, {}), 'not of chart version'],
  ])('says nothing of one %s', async (_case, answer, problem) => {
    expect(await answer()).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('ends in time, whatever it is', async () => {
    const nested = { $ref: '#/definitions/a', definitions: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } };
    expect(await ask(chart({}, nested), {})).toHaveProperty('problem');
  });
});
