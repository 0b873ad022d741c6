import { describe, expect, test } from '@jest/globals';
import type { Selector } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { compileSelector } from '#engine/drift/selector.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const WEB: Unstructured = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web', tier: 'front' }, annotations: { owner: 'me' } },
};

describe('an object', () => {
  test.each<[string, Selector | undefined, boolean]>([
    ['no selector', undefined, true],
    ['an empty selector', {}, true],
    ['empty fields', { kind: '', labelSelector: '' }, true],
    ['the kind', { kind: 'Deployment' }, true],
    ['another kind', { kind: 'StatefulSet' }, false],
    ['alternatives, anchored as a whole', { kind: 'StatefulSet|Deploy' }, false],
    ['a part of the name', { name: 'we' }, false],
    ['a pattern of the name', { name: 'we.*' }, true],
    ['group and version', { group: 'apps', version: 'v[12]' }, true],
    ['another namespace', { namespace: 'bank' }, false],
    ['a label', { labelSelector: 'app=web,tier!=back' }, true],
    ['a label that differs', { labelSelector: 'app=db' }, false],
    ['an annotation', { annotationSelector: 'owner in (you, me)' }, true],
    ['one field of several differs', { kind: 'Deployment', name: 'db' }, false],
  ])('is meant by %s: %p %p', (_name, selector, expected) => {
    expect(compileSelector(selector)(WEB)).toBe(expected);
  });

  test('of the core group has an empty group', () => {
    expect(compileSelector({ group: 'apps' })({ ...WEB, apiVersion: 'v1' })).toBe(false);
  });
});

test.each<[string, Selector]>([
  ['"(" is not a regular expression', { name: '(' }],
  ['"a>1" is not a requirement', { labelSelector: 'b,a>1' }],
  ['"a in 1" is not a requirement', { annotationSelector: 'a in 1' }],
])('%s is said', (message, selector) => {
  expect(() => compileSelector(selector)).toThrow(message);
});

test('a pattern that takes backtracking engines minutes takes no time', () => {
  const isMeant = compileSelector({ name: '(a+)+' });
  const object = { ...WEB, metadata: { name: `${'a'.repeat(250)}!` } };
  expect(cpuMsOf(() => expect(isMeant(object)).toBe(false))).toBeLessThan(1_000);
});

describe('a text of a megabyte', () => {
  test('is refused as a pattern', () => {
    expect(() => compileSelector({ name: 'a|'.repeat(500_000) })).toThrow('a pattern has more than 4096 characters');
  });
});
