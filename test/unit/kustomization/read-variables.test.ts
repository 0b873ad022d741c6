import { expect, test } from '@jest/globals';
import { composeVariables, type VariableSource } from '#controllers/kustomization/read-references.js';

const source = (data: VariableSource['data'], isSecret = false): VariableSource => ({
  shown: isSecret ? 'Secret/s' : 'ConfigMap/c',
  isSecret,
  data,
});

test('later sources win, the spec wins over all, and line breaks go', () => {
  const sources = [source({ a: '1\n', b: '1', c: '1' }, true), source({ b: '2', c: '2' })];
  expect(composeVariables(sources, { c: '3\n3', d: 'é' })).toEqual(
    new Map([
      ['a', { value: '1', isSecret: true }],
      ['b', { value: '2', isSecret: false }],
      ['c', { value: '33', isSecret: false }],
      ['d', { value: '\xc3\xa9', isSecret: false }],
    ]),
  );
});

test.each<[string, readonly VariableSource[], Readonly<Record<string, string>>, string]>([
  ['a key that is no name', [source({ 'tls.crt': 'x' }, true)], {}, 'Secret/s has the key "tls.crt"'],
  ['a name in the spec that is none', [], { '1a': 'x' }, 'spec.postBuild.substitute has the key "1a"'],
  [
    'too many',
    [source(Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`a${index}`, ''])))],
    {},
    'at most 5000 are supported',
  ],
])('%s is refused', (_title, sources, inline, problem) => {
  expect(composeVariables(sources, inline)).toEqual({ problem: expect.stringContaining(problem) });
});
