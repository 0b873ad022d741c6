import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isInRange, parseVersionRange } from '../../../../controllers/runtime/pure/version-range.js';
import { parseVersion } from '../../../../controllers/runtime/pure/version.js';
import { ensureTools } from '../../../../sandbox/tools.js';

const execute = promisify(execFile);
const TEMPLATE = `answers: {{ $answers := list }}
{{- range .Values.pairs }}{{ $answers = append $answers (semverCompare .range .version) }}{{ end }}
{{- $answers | toJson }}
`;

interface Pair {
  readonly range: string;
  readonly version: string;
}

let dir: string;
let helm: string;

beforeAll(async () => {
  ({ helm } = await ensureTools(['helm']));
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-semver-'));
  await mkdir(path.join(dir, 'templates'));
  await writeFile(path.join(dir, 'Chart.yaml'), 'apiVersion: v2\nname: oracle\nversion: 1.0.0\n');
  await writeFile(path.join(dir, 'templates', 'answers.yaml'), TEMPLATE);
}, 600_000);

afterAll(() => rm(dir, { recursive: true, force: true }));

/** What the real helm says; rejects when it takes one of the ranges for none. */
async function ask(pairs: readonly Pair[]): Promise<boolean[]> {
  const values = path.join(dir, 'pairs.json');
  await writeFile(values, JSON.stringify({ pairs }));
  const { stdout } = await execute(helm, ['template', dir, '--values', values], { env: { ...process.env, HOME: dir } });
  // The template prints one JSON list of booleans.
  return JSON.parse(stdout.slice(stdout.indexOf('['))) as boolean[];
}

const part = fc.constantFrom('0', '1', '2', '3', 'x', '*');
const prerelease = fc.constantFrom('', '', '', '-0', '-alpha', '-beta.1', '-rc.2');
const openVersion = fc
  .tuple(fc.constantFrom('', 'v'), fc.array(part, { minLength: 1, maxLength: 3 }), prerelease)
  .map(([start, parts, end]) => start + parts.join('.') + end);
const operator = fc.constantFrom('', '=', '!=', '>', '<', '>=', '=>', '<=', '=<', '~', '~>', '^');
const comparator = fc.tuple(operator, fc.constantFrom('', ' '), openVersion).map((pieces) => pieces.join(''));
const hyphen = fc.tuple(openVersion, openVersion).map((ends) => ends.join(' - '));
const both = fc.tuple(comparator, fc.constantFrom(' ', ', ', ','), comparator).map((pieces) => pieces.join(''));
const alternative = fc.oneof(comparator, both, hyphen);
const range = fc.array(alternative, { minLength: 1, maxLength: 3 }).map((all) => all.join(' || '));
const version = fc
  .tuple(fc.nat(3), fc.nat(3), fc.nat(3), prerelease)
  .map(([major, minor, patch, end]) => `${major}.${minor}.${patch}${end}`);

describe('ranges are read as the real helm reads them', () => {
  test('thousands of generated pairs get the same answer', async () => {
    const pairs = fc.sample(fc.record({ range, version }), { seed: 20_261_121, numRuns: 4_000 });
    const ours = pairs.map((pair) => isInRange(parseVersion(pair.version)!, parseVersionRange(pair.range)!));
    const theirs = await ask(pairs);
    expect(pairs.filter((_pair, at) => ours[at] !== theirs[at])).toEqual([]);
    expect(new Set(theirs)).toEqual(new Set([true, false]));
  });

  test.each(['latest', '>=', '1.2.3,', '1.2.3.4', '>> 1', '1.0.0 beta', '^^1', '1 ||'])(
    '%j is a range for neither',
    async (text) => {
      expect(parseVersionRange(text)).toBeUndefined();
      await expect(ask([{ range: text, version: '1.0.0' }])).rejects.toThrow(/semverCompare|constraint/);
    },
  );
});
