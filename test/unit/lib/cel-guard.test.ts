import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { bombExpression } from '../../support/endless-expression.js';

/** Prints for each expression what it returns, and its CPU time in milliseconds. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { CelBudget, compileCelValue } from './cel.mjs';
  const answer = ({ text, data, mostMs }) => {
    const begun = process.cpuUsage();
    let told;
    try {
      const compiled = compileCelValue({ text, field: 'x', mayMix: true, budget: new CelBudget(undefined, mostMs) });
      told = compiled.evaluate(data);
    } catch (error) {
      told = { problem: error.message };
    }
    const { user, system } = process.cpuUsage(begun);
    return { ...told, cpuMs: (user + system) / 1000 };
  };
  console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(answer)));
`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fairlead-cel-'));
  await build({
    entryPoints: ['lib/cel/cel.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: path.join(folder, 'cel.mjs'),
    // Some dependencies are CommonJS.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  writeFileSync(path.join(folder, 'run.mjs'), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Asked {
  readonly text: string;
  readonly data?: object;
  /** Wall-clock time, so it must allow for a busy machine. */
  readonly mostMs?: number;
}

interface Told {
  readonly problem?: string;
  readonly value?: unknown;
  readonly cpuMs: number;
}

const ENOUGH_MS = 60_000;
/** 200 ms, plus one call that nothing interrupts; the first call of a process also compiles. */
const MOST_CPU_MS = 1_500;

/** Evaluates expressions in another process, with no more memory than the controller can spare. */
function told(asked: readonly Asked[]): Told[] {
  const input = JSON.stringify(asked.map(({ text, data = {}, mostMs = ENOUGH_MS }) => ({ text, data, mostMs })));
  const args = ['--max-old-space-size=256', path.join(folder, 'run.mjs')];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8' });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  return JSON.parse(stdout) as Told[]; // as the program prints it
}

/** An expression that evaluates `text` with `v` set to `first`, after `levels` applications of `step`. */
function grown(first: string, step: string, { levels, text }: { levels: number; text: string }): string {
  let inner = text;
  for (let level = 0; level < levels; level += 1) inner = `cel.bind(v, ${step}, ${inner})`;
  return `cel.bind(v, ${first}, ${inner})`;
}

/** An expression that evaluates `text` with `v` set to a million characters. */
const LONG = (text: string): string => grown("'a'", 'v + v', { levels: 20, text });
const TEN = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]';
const TEXTS = /makes a text of more than 1048576 characters/;
const LISTS = /makes a list of more than 10000 items/;
const ALL = /makes more than 16777216 characters in all/;
const KEY = /a key is not text, a number, true or false/;
const SEARCH = /searches a long text for a long text/;
const TIME = /it takes too long/;

type Row = readonly [name: string, text: string, problem: RegExp];

const BOMBS: readonly Row[] = [
  ['pieces of a text that is replaced in itself', bombExpression(), TEXTS],
  ['a text that doubles', grown("'aaaaaaaa'", 'v + v', { levels: 40, text: 'v.size() > 0' }), TEXTS],
  ['a list that doubles', grown('[1, 2]', 'v + v', { levels: 40, text: 'v.size() > 0' }), LISTS],
  ['bytes that double', grown("b'aaaaaaaa'", 'v + v', { levels: 40, text: 'v.size() > 0' }), TEXTS],
  ['a text that is joined with itself', grown("'aaaa'", '[v, v, v, v].join(v)', { levels: 40, text: 'v' }), TEXTS],
  ['a text that is split into characters', LONG("v.split('')"), LISTS],
  ['a text that is split with a limit', LONG("v.split('a', 2)"), LISTS],
  ['what it replaces a thousand times', LONG("v.replace('a', 'bb')"), TEXTS],
  ['what it replaces between all characters', LONG("v.replace('', 'b')"), TEXTS],
  ['long texts that it keeps', LONG(`${TEN}.map(a, ${TEN}.map(b, v + string(a)))`), TEXTS],
  [
    'half as long texts that it keeps',
    grown("'a'", 'v + v', { levels: 19, text: `${TEN}.map(a, ${TEN}.map(b, v + 'c'))` }),
    ALL,
  ],
  ['capital letters that it keeps', LONG(`${TEN}.map(a, v.upperAscii())`), ALL],
  ['keys that it keeps', LONG(`${TEN}.map(a, ${TEN}.map(b, {v.substring(a * 10 + b): 1}))`), ALL],
  ['a search for half of a text', LONG("v.contains('b' + v.substring(524289))"), SEARCH],
  ['a search for it from the end', LONG("v.lastIndexOf(v.substring(524289) + 'b')"), SEARCH],
  ['a split by half of a text', LONG("v.split('b' + v.substring(524289))"), SEARCH],
  ['a replacement of half of a text', LONG("v.replace('b' + v.substring(524289), '')"), SEARCH],
  [
    'a duration of a million digits',
    grown("'1'", 'v + v', { levels: 20, text: 'duration(v)' }),
    /a duration has more than 1000/,
  ],
  [
    'JSON of a megabyte, again and again',
    grown("'[],'", 'v + v', { levels: 18, text: `${TEN}.map(a, bytes('[' + v + '1]').json())` }),
    ALL,
  ],
  ['a key that is a list of lists', grown("['a']", `[${'v, '.repeat(99)}v]`, { levels: 5, text: '{v: 1}' }), KEY],
  [
    'such a key of unknown type',
    grown("dyn(['a'])", `dyn([${'v, '.repeat(99)}v])`, { levels: 5, text: '{v: 1}' }),
    KEY,
  ],
  [
    'a field that is a list of lists',
    grown("dyn(['a'])", `dyn([${'v, '.repeat(99)}v])`, { levels: 5, text: 'data[v]' }),
    KEY,
  ],
  [
    'a list of lists that is sought in a map',
    grown("dyn(['a'])", `dyn([${'v, '.repeat(99)}v])`, { levels: 5, text: 'v in data' }),
    KEY,
  ],
  ['a type whose name doubles', grown('1', '{v: v}', { levels: 100, text: '1' }), KEY],
  [
    'a result that is the same list many times',
    grown("['a']", `[${'v, '.repeat(99)}v]`, { levels: 5, text: 'v' }),
    /returns more than 100000 items/,
  ],
  ['a result that is the same text many times', LONG(`[${'v, '.repeat(99)}v]`), /returns more than 1048576 characters/],
  ['loops within loops', `${`${TEN}.all(x, `.repeat(12)}true${')'.repeat(12)}`, TIME],
  ['loops that keep lists', `${`${TEN}.map(x, `.repeat(12)}1${')'.repeat(12)}`, TIME],
  [
    'a pattern that repeats without end',
    String.raw`'x'.matches('${'[\\\\pL\\\\pN]{1000}'.repeat(200)}')`,
    /has more than 5000 parts/,
  ],
  ['a pattern that tries everything', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('(?=a)^(a+)+$')", TIME],
];

test.each<[name: string, rows: readonly Row[], mostMs: number]>([
  ['what is too large', BOMBS.filter(([, , problem]) => problem !== TIME), ENOUGH_MS],
  ['what takes too long', BOMBS.filter(([, , problem]) => problem === TIME), 200],
])('%s neither stops the process nor keeps it for long', (_name, rows, mostMs) => {
  const answers = told(rows.map(([, text]) => ({ text, data: { data: { a: 1 } }, mostMs })));
  const found = answers.map(({ problem = '' }, index) => [rows[index]?.[0], problem]);
  expect(found).toEqual(rows.map(([name, , problem]) => [name, expect.stringMatching(problem)]));
  const slow = answers.map(({ cpuMs }, index) => [rows[index]?.[0], cpuMs] as const);
  expect(slow.filter(([, cpuMs]) => cpuMs > MOST_CPU_MS)).toEqual([]);
});

test('what only takes long texts is answered', () => {
  const rows: readonly (readonly [string, unknown])[] = [
    [LONG('v.reverse().size()'), 1_048_576],
    [LONG('v.charAt(1048575)'), 'a'],
    [LONG("v.contains('b')"), false],
    [LONG("v.split('b').size()"), 1],
    [LONG("v.matches('^a+$')"), true],
    [LONG("v.matches('(a{0,30}){0,30}b')"), false],
    [LONG("v.trim().upperAscii().startsWith('AAA')"), true],
    ["{'a': 1, 2: 'b', true: 'c', 3u: 'd'}", { a: 1, 2: 'b', true: 'c', 3: 'd' }],
    ["dyn({'a': 1})['a'] == 1 && 'a' in {'a': 1} && [1] in [[1]]", true],
    ['[[[[[1]]]]] == [[[[[1]]]]]', true],
    ['[[[[[1]]]]] + [[[[[2]]]]]', [[[[[1]]]], [[[[2]]]]]],
    ["[[[['a']]]].map(x, x[0][0][0] + 'b')", ['ab']],
  ];
  const answers = told(rows.map(([text]) => ({ text })));
  expect(answers.map(({ value }) => ({ value }))).toEqual(rows.map(([, value]) => ({ value })));
  expect(Math.max(...answers.map(({ cpuMs }) => cpuMs))).toBeLessThan(MOST_CPU_MS);
});

test('types of data do not fill the memory', () => {
  const nest = (seed: number): unknown =>
    Array.from({ length: 60 }, (_, level) => (seed * (level + 7)) % 13 < 6).reduce<unknown>(
      (value, isList) => (isList ? [value] : { key: value }),
      seed,
    );
  const items = Array.from({ length: 2_000 }, (_, seed) => nest(seed));
  const [answer] = told([{ text: 'items.all(x, x == x)', data: { items } }]);
  expect(answer?.value).toBe(true);
  expect(answer?.cpuMs).toBeLessThan(MOST_CPU_MS);
});
