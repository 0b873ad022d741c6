import { expect, test } from '@jest/globals';
import { maskedField, maskedPointer, publicNames } from '#engine/dry-run/public-names.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const TEMPLATE = `
metadata: {annotations: {"example.com/rewrite": x}}
data:
  config.yaml: |-
    a
  {{ .Values.token }}: x
  of-\${token}: y
spec:
  containers: [{image: 'web:1'}]
`;
const isPublic = publicNames([TEMPLATE], ['hush web']);

test.each<[string, string, string]>([
  ['names of the source', '/spec/containers/0/image', '/spec/containers/0/image'],
  ['names with dots', '/data/config.yaml', '/data/config.yaml'],
  ['names with slashes', '/metadata/annotations/example.com~1rewrite', '/metadata/annotations/example.com~1rewrite'],
  ['no key that is made of a Secret', '/data/hush', '/data/*****'],
  ['nor one in part', '/data/of-hush', '/data/*****'],
  ['nor one of an earlier Secret', '/data/of-whisper', '/data/*****'],
  ['nor what is derived from one', '/data/hu', '/data/*****'],
  ['nor what a Secret says, although the source says it', '/data/web', '/data/*****'],
  ['nor a mask that is a name', '/data/a~1b~0c', '/data/*****'],
  ['a list of keys', '', ''],
])('a path shows %s', (_name, pointer, expected) => {
  expect(maskedPointer(pointer, isPublic)).toBe(expected);
});

test.each<[string, string]>([
  ['spec.containers[0].image', 'spec.containers[0].image'],
  ['data[config.yaml]', 'data[config.yaml]'],
  ['data[hush]', 'data[*****]'],
  ['spec.hush.image', 'spec.*****.image'],
])('the field %s is shown as %s', (field, expected) => {
  expect(maskedField(field, isPublic)).toBe(expected);
});

test('nothing is public of what could not be compared with all secrets', () => {
  expect(publicNames(['a'], ['x'.repeat(5 * 1024 * 1024)])('a')).toBe(false);
});

test('100,000 secrets and 4,000 paths cost little', () => {
  const secrets = Array.from({ length: 100_000 }, (_, index) => `s${index.toString(36)}/~"`);
  const paths = Array.from({ length: 4_000 }, (_, index) => `/data/aaaaaa${index}`);
  const cost = cpuMsOf(() => {
    const known = publicNames([TEMPLATE.repeat(10_000)], secrets);
    expect(new Set(paths.map((path) => maskedPointer(path, known)))).toEqual(new Set(['/data/*****']));
  });
  expect(cost).toBeLessThan(3_000);
});

test('a number is a place in a list, unless it may be a secret', () => {
  const known = publicNames(['list:'], ['pin: "482913"']);
  expect(maskedPointer('/list/0/1', known)).toBe('/list/0/1');
  expect(maskedPointer('/data/482913', known)).toBe('/data/*****');
  expect(maskedField('data[482913]', known)).toBe('data[*****]');
});
