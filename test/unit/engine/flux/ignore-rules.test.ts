import { expect, test } from '@jest/globals';
import type { IgnoreRule } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { TerminalError } from '#lib/errors.js';
import { compileIgnoreRules } from '#engine/flux/ignore-rules.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const WEB: Unstructured = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'a' } };

function compile(...rules: IgnoreRule[]): (object: Unstructured) => readonly string[] | undefined {
  return compileIgnoreRules(rules, { field: 'spec.ignore', reason: 'ReconciliationFailed' }, (paths) => paths);
}

test.each<[string, IgnoreRule[], string[] | undefined]>([
  ['no rule', [], undefined],
  ['a rule for all objects', [{ paths: ['/a', '/b'] }], ['/a', '/b']],
  ['a rule for this one', [{ paths: ['/a'], target: { group: 'apps', kind: 'Deployment', name: 'w.*' } }], ['/a']],
  ['a rule for another one', [{ paths: ['/a'], target: { kind: 'Deploy' } }], undefined],
  ['several rules without a target', [{ paths: ['/a'] }, { paths: ['/b'] }], ['/a', '/b']],
])('%s', (_title, rules, expected) => {
  expect(compile(...rules)(WEB)).toEqual(expected);
});

test.each<[string, IgnoreRule[], string]>([
  ['a pattern', [{ paths: [] }, { paths: ['/a'], target: { name: '(' } }], 'spec.ignore[1].target: '],
  [
    'a pattern that stands for too much',
    [{ paths: ['/a'], target: { name: '[a-z]{1000}'.repeat(200) } }],
    'spec.ignore[0].target: the pattern "[a-z]{1000}[a-z]',
  ],
  [
    'one of many patterns',
    Array.from({ length: 20 }, () => ({ paths: ['/a'], target: { name: 'a{900}' } })),
    'spec.ignore[11].target: the patterns up to this one have more than 10000 parts in all',
  ],
  ['a selector', [{ paths: ['/a'], target: { labelSelector: 'a in' } }], 'spec.ignore[0].target: '],
])('%s that cannot be read is rejected by name', (_title, rules, message) => {
  expect(() => compile(...rules)).toThrow(message);
});

test('what is made of the same rules is made once', () => {
  const made: (readonly string[])[] = [];
  const where = { field: 'spec.ignore', reason: 'ReconciliationFailed' };
  const read = compileIgnoreRules([{ paths: ['/a'] }], where, (paths) => made.push(paths));
  expect([read(WEB), read({ ...WEB, metadata: { name: 'api' } }), made]).toEqual([1, 1, [['/a']]]);
});

const SPEC_IGNORE = { field: 'spec.ignore', reason: 'ReconciliationFailed' };

function named(name: string): Unstructured {
  return { ...WEB, metadata: { name } };
}

/** Names that agree in nothing a matcher could remember. */
function oddName(seed: number): string {
  let state = seed + 1;
  const letters = Array.from({ length: 245 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 4_294_967_296;
    return state % 2 ** 20 < 2 ** 19 ? 'a' : 'b';
  });
  return letters.join('') + String(seed).padStart(8, '0');
}

test.each(['(a?){900}(a?){700}', '(a?){400}', 'a?'.repeat(600), '(|a)'.repeat(500), '.*a.{1000}'])(
  'the pattern %s, which takes long to match, is refused',
  (name) => {
    expect(() => compile({ paths: ['/a'], target: { name } })).toThrow(
      /^spec\.ignore\[0\]\.target: the pattern ".*" has more than 1000 parts, .*: correct it, or remove the rule$/,
    );
  },
);

test.each([
  'prod-.*|stage-.*',
  '[a-z0-9-]{1,63}',
  String.raw`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`,
  Array.from({ length: 400 }, (_, index) => `name-${index}`).join('|'),
  `^(?:${Array.from({ length: 400 }, (_, index) => `name-${index}`).join('|')})$`,
  '.{0,253}',
])('the pattern %s is accepted', (name) => {
  expect(() => compile({ paths: ['/a'], target: { name } })).not.toThrow();
});

test.each(['(a?){330}', '.*a.{980}', '(?i)(?:a?b?){190}', '((a?b?){13}c?){13}', 'a?'.repeat(500)])(
  'an object is matched by the largest pattern soon: %s',
  (pattern) => {
    const read = compile({ paths: ['/a'], target: { name: pattern } });
    const objects = Array.from({ length: 10 }, (_, index) => named(oddName(index)));
    // Less than 100 ms for all ten.
    expect(cpuMsOf(() => objects.forEach((object) => void read(object)))).toBeLessThan(1_000);
  },
);

test('no name is longer than 253 characters', () => {
  const read = compile({ paths: ['/a'], target: { name: 'a*' } });
  expect(read(named('a'.repeat(253)))).toEqual(['/a']);
  expect(read(named('a'.repeat(254)))).toBeUndefined();
});

test('rules may take two seconds for all objects of a reconciliation, and an object is matched once', () => {
  let nowMs = 0;
  const now = (): number => (nowMs += 500);
  const read = compileIgnoreRules([{ paths: ['/a'] }], SPEC_IGNORE, (paths) => paths, now);
  const objects = ['a', 'b', 'c', 'd'].map(named);
  expect(objects.map(read)).toEqual([['/a'], ['/a'], ['/a'], ['/a']]);
  expect(() => read(named('e'))).toThrow(
    new TerminalError(
      'ReconciliationFailed',
      'spec.ignore: finding the objects that its rules mean takes longer than 2 s: write fewer rules, or simpler patterns and selectors',
    ),
  );
  expect(objects.map(read)).toEqual([['/a'], ['/a'], ['/a'], ['/a']]);
});

test('rules of good faith take little time for many objects', () => {
  const rules = Array.from({ length: 20 }, (_, index) => ({
    paths: [`/spec/${index}`],
    target: { kind: 'Deployment|StatefulSet', name: `(prod|stage)-.*-${index}`, namespace: '[a-z0-9-]{1,63}' },
  }));
  const read = compile(...rules);
  const objects = Array.from({ length: 5_000 }, (_, index) => named(`prod-shop-${index}-${index % 20}`));
  // Some 200 ms on an idle machine; the rules may take ten times as much.
  expect(cpuMsOf(() => objects.forEach((object) => void read(object)))).toBeLessThan(1_500);
});
