import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isInRange, parseVersionRange } from '#lib/semver/version-range.js';
import { parseVersion } from '#lib/semver/version.js';
import { differences, useOracle } from './oracle.js';

interface Case {
  readonly range: string;
  readonly versions: readonly string[];
}

const number = fc.constantFrom('0', '1', '2', '3', '10', '01');
const prerelease = fc.constantFrom('', '', '', '-0', '-alpha', '-alpha.1', '-beta.2', '-rc.10', '-01', '-1.x');
const metadata = fc.constantFrom('', '', '', '+build', '+1.2');
const v = fc.constantFrom('', '', '', 'v');

const version = fc
  .tuple(v, fc.array(number, { minLength: 1, maxLength: 4 }), prerelease, metadata)
  .map(([prefix, parts, pre, meta]) => `${prefix}${parts.join('.')}${pre}${meta}`);

const part = fc.oneof({ weight: 4, arbitrary: number }, { weight: 1, arbitrary: fc.constantFrom('x', 'X', '*') });
const open = fc
  .tuple(v, fc.array(part, { minLength: 1, maxLength: 3 }), prerelease, metadata)
  .map(([prefix, parts, pre, meta]) => `${prefix}${parts.join('.')}${pre}${meta}`);
const operator = fc.constantFrom('', '', '=', '!=', '>', '<', '>=', '=>', '<=', '=<', '~', '~>', '^', '>>', '^^');
const space = fc.constantFrom('', '', ' ', '  ');
const comparator = fc.tuple(operator, space, open).map((texts) => texts.join(''));
const hyphen = fc.tuple(open, fc.constantFrom(' - ', ' -  ', '-'), open).map((texts) => texts.join(''));
const joiner = fc.constantFrom(',', ', ', ' ', ' , ', '||', ' || ', ',,');

const range = fc.oneof(
  comparator,
  hyphen,
  fc.constantFrom(' ', '*', '||', ',', 'latest', '>=', '1.2.3,', '1.2.3.4', '>> 1', '1.0.0 beta', '^^1', '1 ||'),
  fc
    .tuple(fc.oneof(comparator, hyphen), joiner, fc.oneof(comparator, hyphen), joiner, comparator)
    .map((texts) => texts.join('')),
  fc.tuple(space, comparator, joiner, comparator, space).map((texts) => texts.join('')),
);

const cases: fc.Arbitrary<Case> = fc.record({ range, versions: fc.array(version, { minLength: 8, maxLength: 8 }) });

function ours({ range: text, versions }: Case): unknown {
  const parsed = parseVersionRange(text);
  if (parsed === undefined) return 'no range';
  return versions.map((candidate) => {
    const known = parseVersion(candidate);
    return known === undefined ? null : isInRange(known, parsed);
  });
}

const ask = useOracle('versions');

test('versions lie in the ranges in which Masterminds/semver has them', async () => {
  const theirs = (answer: Readonly<Record<string, unknown>>): unknown => answer['matches'] ?? 'no range';
  expect(await differences({ ask, cases, count: 10_000, theirs, ours })).toEqual([]);
});
