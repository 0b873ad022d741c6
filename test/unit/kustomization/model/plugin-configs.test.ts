import { expect, test } from '@jest/globals';
import { pluginConfig, rewritten } from '#controllers/kustomization/model/canonical-file.js';

const mark = (value: unknown): unknown => ({ seen: value });
const REFERENCES = { file: mark, files: mark, keyedFiles: mark, replacements: mark };

function config(kind: string, fields: object): unknown {
  return pluginConfig({ apiVersion: 'builtin', kind, metadata: { name: 'a' }, ...fields }, 'generators[0]', REFERENCES);
}

test.each<[string, object, object]>([
  ['ConfigMapGenerator', { files: ['a'], env: 'e' }, { files: { seen: ['a'] }, env: { seen: 'e' } }],
  ['PatchTransformer', { path: 'p', patch: 'x' }, { path: { seen: 'p' }, patch: 'x' }],
  ['PatchStrategicMergeTransformer', { paths: ['p'] }, { paths: { seen: ['p'] } }],
  ['ReplacementTransformer', { replacements: [] }, { replacements: { seen: [] } }],
  ['LabelTransformer', { labels: { a: 'b' } }, { labels: { a: 'b' } }],
])('references of a %s are resolved', (kind, fields, expected) => {
  expect(config(kind, fields)).toMatchObject(expected);
});

test.each<[string, () => unknown]>([
  ['a field that folds to one with a path', () => config('PatchTransformer', { Path: '/etc/passwd' })],
  ['a kind that reads files of its own', () => config('ValueAddTransformer', { targetFilePath: 'x' })],
  ['what is no map', () => pluginConfig('x', 'generators[0]', REFERENCES)],
])('%s is refused', (_title, work) => {
  expect(work).toThrow('generators[0]');
});

test('fields without references stay', () => {
  expect(rewritten({ a: 1, b: 2 }, { a: undefined, b: mark }, 'x')).toEqual({ a: 1, b: { seen: 2 } });
});
