import { expect, test } from '@jest/globals';
import { manifestsOf } from '#controllers/kustomization/model/manifests.js';
import { bytesOf } from '#controllers/kustomization/model/substitution/bytes.js';
import type { Variables } from '#controllers/kustomization/model/substitution/substitute.js';

function variables(values: Readonly<Record<string, string>>, isSecret = false): Variables {
  return new Map(Object.entries(values).map(([name, value]) => [name, { value: bytesOf(value), isSecret }]));
}

const configMap = (data: string, more = ''): string =>
  `apiVersion: v1\ndata:\n  a: ${data}\nkind: ConfigMap\nmetadata:\n  name: a\n${more}`;
const DISABLED = '  annotations:\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n';

test('every object is substituted by itself, unless it opts out', () => {
  const text = [configMap('${x}'), configMap('${x}', DISABLED), configMap('plain')].join('---\n');
  const read = manifestsOf(text, variables({ x: 'z' }));
  expect(read).toEqual({
    objects: [
      expect.objectContaining({ data: { a: 'z' } }),
      expect.objectContaining({ data: { a: '${x}' } }),
      expect.objectContaining({ data: { a: 'plain' } }),
    ],
    text: text.replace('${x}', 'z'),
    secrets: [],
  });
});

test.each<[string, string, unknown]>([
  ['a number', '1', 1],
  ['a boolean', 'true', true],
  ['nothing', '', null],
  ['a text', '"1"', '1'],
])('a value that reads like %s is one, as in Flux', (_title, value, result) => {
  expect(manifestsOf(configMap('${x}'), variables({ x: value }))).toMatchObject({ objects: [{ data: { a: result } }] });
});

test('without variables nothing is substituted', () => {
  const text = configMap('${x}');
  expect(manifestsOf(text, undefined)).toMatchObject({ text, objects: [{ data: { a: '${x}' } }] });
});

test('values from Secrets are known, and what was made of them', () => {
  expect(manifestsOf(configMap('${x^^}'), variables({ x: 's' }, true))).toMatchObject({ secrets: ['s', 'S'] });
});

test.each<[string, string, string]>([
  ['a variable that is not set', '${none}', 'post build failed: ConfigMap/a: variable none is not set'],
  ['an expression that is none', '${x', 'post build failed: ConfigMap/a: line 3 of it: bad substitution'],
  ['a value that breaks the YAML', '${bad}', 'the substitution leaves invalid YAML: line 3, column'],
])('%s is refused with its object', (_title, data, problem) => {
  const read = manifestsOf(configMap(data), variables({ x: 'y', bad: 's3cret: ]', none_: '' }));
  expect(read).toEqual({ problem: expect.stringContaining(problem) });
  expect(JSON.stringify(read)).not.toContain('s3cret');
});

test.each([
  ['an alias', '*s3cret'],
  ['a tag', '!s3cret'],
  ['a handle of a tag', '!s3cret!more x'],
  ['a verbatim tag', '!<s3 cret>'],
  ['an anchor twice', '&s3cret &s3cret x'],
])('of a Secret that reads like %s only the place is named', (_title, value) => {
  const read = manifestsOf(configMap('${x}'), variables({ x: value }, true));
  const problem = /the substitution leaves invalid YAML: line 3, column \d+: quote the text, or correct/;
  expect(read).toEqual({ problem: expect.stringMatching(problem) });
  expect(JSON.stringify(read)).not.toMatch(/s3|cret|more/);
});

test('of variables that are no secret the reason is named, too', () => {
  const read = manifestsOf(configMap('${x}'), variables({ x: '*none' }));
  expect(read).toEqual({ problem: expect.stringMatching(/line 3, column \d+: .*none.*: quote the text/) });
});

test('a value that leaves no object is refused', () => {
  const read = manifestsOf(configMap('x').replace('v1', '${x}'), variables({ x: '' }));
  expect(read).toEqual({ problem: expect.stringContaining('the substitution leaves no object') });
});
