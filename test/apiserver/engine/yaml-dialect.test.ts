import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { printJson, canonicalJson } from '#lib/json/lossless-json.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { useWorld } from '../../support/world.js';

/** Values that people write, and shapes that readers are known to differ on; each is read as the value of a key. */
const WRITTEN = [
  ...['', '~', 'null', 'Null', 'true', 'True', 'yes', 'No', 'ON', 'off', 'y', 'N', 'yEs', 'tRue', "'yes'", '"on"'],
  ...['0', '-0', '+1', '0644', '-0644', '0o644', '089', '0x1F', '0X1f', '0b101', '0x', '0o8', '1_000', '1__0', '_1'],
  ...[
    '1.0',
    '1.',
    '.5',
    '-.5',
    '-0.0',
    '1e3',
    '1E+2',
    '.5e-3',
    '1e400',
    '0e0',
    '1e',
    '1_000.5',
    '1.2.3',
    '0.0000001',
    '.1_0',
  ],
  ...['9007199254740993', '18446744073709551615', '18446744073709551616', '-9223372036854775809', '1e21'],
  ...['2001-01-01', '2001-12-14t21:59:43.10-05:00', '2001-01-01 10:00:00', '12:30', '12:30:45', '190:20:30'],
  ...['=', '<<', 'a#b', 'a # c', 'a:b', '-a', '---a', '?a', 'é', '😀', 'a\tb', "'it''s'", '"\\x41\\u00e9\\n\\t"'],
  ...['!!str 1', '!!str yes', '!!str', '!!int "3"', '!!int 0644', '!!float 3', '!!bool y', '!!null ""', '! 12'],
  ...['|\n  a\n  b', '|-\n  a\n', '|2\n    a', '>\n  a\n  b\n\n  c', '>+\n  a\n\n', '"a\\\n    b"', 'a b\n  c'],
  ...['[a, b, ]', '[1, [2, {a: 3}]]', '[a: 1]', '{a}', '{a: 1, b: }', '{"a":1}', '\n- 1\n- 2', '!!map {a: 1}'],
  ...[
    '\n  a: &x {b: 1}\n  c: *x',
    '\n  a: &x {b: 1}\n  c: {<<: *x, b: 2, d: 3}',
    '{<<: {a: 1}, a: 2}',
    '{"<<": {a: 1}}',
  ],
  '\n  a: &x {b: 1}\n  c: &y {b: 2, e: 3}\n  d: {<<: [*x, *y], f: 4}',
  ...['{a: 1, a: 2}', '{a: {b: 1}, c: 2, a: {d: 3}}', '{a: 1, a: }', '{<<: {a: 1}, a: 2, a: 3}'],
  ...['{yes: 1, n: 2}', '{0x10: 3, 0644: 4, 1.5: 5}', '{2001-01-01: 6}', '{=: 7}', '{"": 8}'],
];

/** What only we read; helm refuses the whole file: two escapes of JSON. */
const ONLY_OURS = ['"\\/"', '"\\ud83d\\ude00"'];
const REFUSED_BY_BOTH = ['{~: 1}', '.inf', '-.INF', '.nan', '%a', '@a', '`a', '*none', '{[a]: 1}', 'a: b', '"\\q"'];

/** Shapes that we read in another way, on purpose: `ours` is undefined where we refuse. */
const ACCEPTED: readonly (readonly [why: string, text: string, helm: unknown, ours: unknown])[] = [
  ['own keys win over merged ones wherever they stand', '{a: 2, <<: {a: 1}}', { a: 1 }, { a: 2 }],
  ['a key that is a float is printed as people write it', '{1e9: 1}', { '1e+09': 1 }, { 1000000000: 1 }],
  ['a tag that we do not know is not dropped', '!custom a', 'a', undefined],
  ['bytes have no form in JSON', '!!binary aGk=', 'hi', undefined],
  ['a set has no form in JSON', '!!set {a, b}', { a: null, b: null }, undefined],
  ['a tag that its text contradicts', '!!float 0x1F', 31, undefined],
];

/** Keys that JSON cannot tell apart: helm's map of Go decides by chance. */
const BY_CHANCE = '{1: a, "1": b}';

const RANDOM = randomScalars();

/** Plain scalars near numbers, booleans and dates; always the same ones. */
function randomScalars(): string[] {
  const letters = fc.constantFrom(...'00112345789__++--..::xXobBeEyYnNoOfFtTrRuUsSlLaA~<=%'.split(''));
  const digits = fc.constantFrom(...'0011789_+-.:xobeEaAfF'.split(''));
  const scalar = fc.oneof(
    fc.string({ unit: letters, minLength: 1, maxLength: 8 }),
    fc.string({ unit: digits, minLength: 1, maxLength: 12 }),
  );
  // Not one scalar (`-`, `---`, `a:`), or refused by both (`.inf`, `%a`).
  const refused = /^[-?:]*$|^\.\.\.$|^[-+]?\.inf$|^\.nan$|:$|^%/i;
  const sample = fc.sample(scalar, { seed: 7, numRuns: 5_000 });
  return [...new Set(sample)].filter((text) => !refused.test(text));
}

/** Keys that JSON can hold and that helm does not print as a float. */
function asKeys(texts: readonly string[]): string[] {
  return texts.filter((text) => !/^(~|null)$/i.test(text) && !/^[-+]?[0-9._]*[.e][-+0-9._]*$/i.test(text));
}

const OTHERS = [...RANDOM, ...asKeys(RANDOM).map((key) => `\n  ${key}: 1`)];
const CASES = [...WRITTEN, ...ACCEPTED.map(([, text]) => text), BY_CHANCE, ...OTHERS];
let dir: string;
let readByHelm: ReadonlyMap<string, unknown>;

function entry(text: string, name = 'v'): string {
  return `${name}: ${text}\n`;
}

/** What we read, as plain JSON: both sides round what a double cannot hold. Undefined when we refuse. */
function readByUs(text: string): unknown {
  let value: unknown;
  try {
    value = parseYaml(entry(text));
  } catch {
    return undefined;
  }
  return (JSON.parse(printJson(value)) as { v: unknown }).v;
}

/** For comparing: a refusal is not null, and -0 is 0. */
function asJson(value: unknown): string {
  return canonicalJson({ value });
}

beforeAll(async () => {
  const { helm } = (await useWorld()).tools;
  dir = await mkdtemp(join(tmpdir(), 'dialect-'));
  const values = join(dir, 'values.yaml');
  await mkdir(join(dir, 'chart', 'templates'), { recursive: true });
  await writeFile(join(dir, 'chart', 'Chart.yaml'), 'apiVersion: v2\nname: dialect\nversion: 0.1.0\n');
  await writeFile(join(dir, 'chart', 'templates', 'values.yaml'), '{{ .Values | toJson }}\n');
  await writeFile(values, CASES.map((text, index) => entry(text, `v${index}`)).join(''));
  const { stdout } = await promisify(execFile)(helm, ['template', 'x', join(dir, 'chart'), '-f', values], {
    env: { HOME: dir },
    maxBuffer: 64 * 1024 * 1024,
  });
  const json = stdout.split('\n').find((line) => line.startsWith('{')) ?? '';
  const read = JSON.parse(json) as Record<string, unknown>;
  readByHelm = new Map(CASES.map((text, index) => [text, read[`v${index}`] ?? null]));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

test.each(WRITTEN)('%j is read as helm reads it', (text) => {
  expect(asJson(readByUs(text))).toBe(asJson(readByHelm.get(text)));
});

test('so are thousands of others, as values and as keys', () => {
  const different = OTHERS.filter((text) => asJson(readByUs(text)) !== asJson(readByHelm.get(text)));
  expect(OTHERS.length).toBeGreaterThan(5_000);
  expect(different).toEqual([]);
});

describe('accepted difference', () => {
  test.each(ACCEPTED)('%s: %s', (_why, text, helm, ours) => {
    expect(readByHelm.get(text)).toEqual(helm);
    expect(readByUs(text)).toEqual(ours);
  });

  test('of two keys that are equal in JSON, helm uses either, we the later one', () => {
    expect([{ 1: 'a' }, { 1: 'b' }]).toContainEqual(readByHelm.get(BY_CHANCE));
    expect(readByUs(BY_CHANCE)).toEqual({ 1: 'b' });
  });

  test.each(ONLY_OURS)('helm refuses a file with %s, we do not', (text) => {
    expect(readByUs(text)).toBeDefined();
  });
});

test.each(REFUSED_BY_BOTH)('both refuse %s', (text) => expect(readByUs(text)).toBeUndefined());
