import { describe, expect, it } from '@jest/globals';
import { digestOf } from '#lib/hash.js';
import { parseYaml, parseYamlDocuments } from '#lib/yaml/yaml.js';
import { AliasError } from '#lib/yaml/yaml-aliases.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { billionLaughs } from '../../support/billion-laughs.js';

/** Each line nests what the one above holds `step` levels deeper. */
function staircase(lines: number, step: number): string {
  const line = (index: number): string => {
    const inner = index === 0 ? '1' : `*s${index - 1}`;
    return `s${index}: &s${index} ${'['.repeat(step)}${inner}${']'.repeat(step)}`;
  };
  return Array.from({ length: lines }, (_, index) => line(index)).join('\n');
}

const EXCESS = 'document contains excessive aliasing';
const MEBIBYTE = 'x'.repeat(1024 * 1024);

describe('aliases are refused', () => {
  it.each<[string, string, string]>([
    ['that are more than 99 of 100 nodes', billionLaughs(3), EXCESS],
    ['that multiply', billionLaughs(6), EXCESS],
    ['that multiply in later documents', `a: 1\n---\n${billionLaughs(6)}`, EXCESS],
    ['that repeat a long text', `a: &a "${MEBIBYTE}"\nb: [${Array(17).fill('*a').join(',')}]`, EXCESS],
    ['of a map that contains itself', 'a: &a {b: *a}', 'an anchor contains itself'],
    ['of a list that contains itself', '&a [[*a]]', 'an anchor contains itself'],
    ['that nest for ever', staircase(20, 90), 'aliases nest more than 1000 levels'],
  ])('%s', (_title, text, message) => {
    const cpuMs = cpuMsOf(() => expect(() => parseYamlDocuments(text)).toThrow(new AliasError(message)));
    expect(cpuMs).toBeLessThan(2_000);
  });
});

describe('aliases are followed', () => {
  it.each<[string, string]>([
    ['where go-yaml follows them: up to 99 of 100 nodes of a small document', billionLaughs(2)],
    ['when they are merged', 'base: &base {a: 1, b: 2}\nx: {<<: *base}\ny: {<<: [*base, {c: 3}]}'],
    ['when one name is given again', 'a: &x 1\nb: *x\nc: &x [2]\nd: *x'],
    ['under a name that two documents use', 'a: &a [1]\nb: *a\n---\na: &a [2]\nb: *a'],
  ])('%s', (_title, text) => {
    expect(digestOf(parseYaml(text))).toMatch(/^sha256:/);
  });

  it('when more keys are merged than js-yaml allows by itself', () => {
    const base = Array.from({ length: 200 }, (_, index) => `k${index}: 1`).join(', ');
    const text = `base: &base {${base}}\nall:\n${Array.from({ length: 60 }, (_, i) => `  m${i}: {<<: *base}`).join('\n')}`;
    expect(Object.keys((parseYaml(text) as { all: { m59: object } }).all.m59)).toHaveLength(200);
  });
});
