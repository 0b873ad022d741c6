import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applicationSchema } from '#console/shared/application-schema.js';
import { SchemaTree } from '#console/web/model/schema-spot.js';
import { findingsOf } from '#console/web/model/yaml-findings.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

const TREE = new SchemaTree({
  type: 'object',
  additionalProperties: false,
  properties: {
    kind: { type: 'string', enum: ['fluxcd', 'argocd'] },
    suspend: { type: 'boolean' },
    count: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ratio: { type: 'number' },
    size: { enum: [1, 2, 'x'] },
    list: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } },
    },
    open: { type: 'object' },
  },
});

function found(text: string): string[] {
  return findingsOf(text, TREE).findings.map(({ line, column, text: words }) => `${line}:${column} ${words}`);
}

test.each<[string, string, string[]]>([
  ['what is right', 'kind: fluxcd\nsuspend: yes\ncount: 50%\nratio: 1\nlist: [{a: "1"}]\nopen: {x: [1]}\nsize: 2', []],
  ['a key that there is not', 'kind: fluxcd\nlist:\n  - a: x\n    b: 1\n', ['4:5 there is no field "b" here']],
  ['quoted keys', '"ki\\x6ed": fluxcd\n"no": 1', ['2:2 there is no field "no" here']],
  ['a number for a text', 'list:\n- a: 1', ['2:6 it must be of type string, and is a number']],
  ['a text for a boolean', 'suspend: "yes"', ['1:11 it must be of type boolean, and is a text']],
  ['a map for a list', 'list: {a: x}', ['1:7 it must be of type array, and is a map']],
  ['a list for one of two types', 'count: [1]', ['1:8 it must be of type integer or string, and is a list']],
  ['a fraction for a whole number', 'count: 1.5', ['1:8 it must be of type integer or string, and is a number']],
  ['another word', 'kind: flux', ['1:7 it must be one of "fluxcd", "argocd", and is "flux"']],
  ['a text for a number of a list', 'size: "1"', ['1:8 it must be one of 1, 2, "x", and is "1"']],
  ['a list at the top', '- 1', ['1:1 it must be of type object, and is a list']],
  ['null', 'kind: ~\nsuspend:\nlist: null', []],
  ['a tag', 'suspend: !!str yes\nkind: !x [1]', []],
  ['aliases and merged keys', 'open: &x {a: 1}\nkind: *x\n<<: *x', []],
  ['a key that is no text', '? [a, b]\n: c\nnope: 1', ['3:1 there is no field "nope" here']],
  ['a block of text', 'list:\n- a: |\n    1\nb: 1', ['4:1 there is no field "b" here']],
  ['what cannot be read', 'nope: [', []],
  ['the next document', 'kind: fluxcd\n---\nnope: 1', ['3:1 there is no field "nope" here']],
])('finds in %s what is wrong', (_, text, findings) => expect(found(text)).toEqual(findings));

test('there are not too many of them, and long names are cut', () => {
  const many = findingsOf('a: 1\n'.repeat(1_000), TREE);
  expect(many.findings).toHaveLength(20);
  expect(many.isCut).toBe(true);
  expect(found(`${'a'.repeat(1_000)}: 1`)[0]?.length).toBeLessThan(300);
});

test('an Application with 900 KB of values is checked within moments', () => {
  const values = Object.fromEntries(Array.from({ length: 36_000 }, (_, index) => [`key${index}`, `value ${index}`]));
  const config = { helmRelease: { chart: { chart: 'web' }, deploy: [{ destination: {}, values }], odd: 1 } };
  const text = printYaml({ metadata: { name: 'web' }, spec: { kind: 'fluxcd', fluxApp: { spec: { config } } } });
  expect(text.length).toBeGreaterThan(900_000);
  const tree = new SchemaTree(applicationSchema());
  const cost = cpuMsOf(() =>
    expect(findingsOf(text, tree).findings.map((each) => each.text)).toEqual(['there is no field "odd" here']),
  );
  expect(cost).toBeLessThan(2_000);
});

test('any text can be checked', () => {
  const text = fc.stringMatching(/^[ \n\-:#"'{}[\],|&*!ab<]{0,60}$/);
  fc.assert(fc.property(text, (whole) => expect(findingsOf(whole, TREE).isCut).toBe(false)));
});
