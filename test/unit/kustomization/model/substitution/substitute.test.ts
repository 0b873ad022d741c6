import { expect, test } from '@jest/globals';
import { bytesOf } from '#controllers/kustomization/model/substitution/bytes.js';
import { Substitution, type Substituted } from '#controllers/kustomization/model/substitution/substitute.js';

const HUGE = 'x'.repeat(1_000_000);

function substitution(values: Readonly<Record<string, string>>, isSecret = false): Substitution {
  const entries = Object.entries(values).map(([name, value]) => [name, { value: bytesOf(value), isSecret }] as const);
  return new Substitution(new Map(entries));
}

function substituted(text: string, values: Readonly<Record<string, string>> = {}): Substituted {
  return substitution(values).substitute(text);
}

test.each<[string, string, string]>([
  ['a variable', 'region: ${region}', 'region: eu'],
  ['a variable whose value has an expression, once', '${loop}', '${loop}'],
  ['a variable without a value', '${empty}', ''],
  ['a default of a variable that is not set', '${none:-${region}-1}', 'eu-1'],
  ['what is not ASCII', 'é${foreign}é', 'é漢é'],
])('%s', (_title, text, result) => {
  const values = { region: 'eu', loop: '${loop}', empty: '', foreign: '漢' };
  expect(substituted(text, values)).toEqual({ text: result });
});

test.each<[string, string, string]>([
  ['a variable that is not set', 'a: ${none}', 'variable none is not set: set it in spec.postBuild, give it a default'],
  ['one that is not set in a default that is not used', '${a:-${none}}', 'variable none is not set'],
  ['a function of one that is not set', '${none^^}', 'variable none is not set'],
  ['an expression that is none', 'a: 1\nb: ${a!}', 'line 2 of it: bad substitution'],
  [
    'a name with what no name has',
    'a: 1\nb: ${my-region}',
    'line 2 of it: bad substitution: after my, neither } nor an operator such as :- follows, and a name has letters, ' +
      'digits and _ only; write $${ for ${ as text',
  ],
  [
    'an expression without a name',
    '${-region}',
    'bad substitution: no name follows ${, which has letters, digits and _ only; write $${ for ${ as text',
  ],
  ['an expression without an end', 'a: ${region', 'bad substitution: } is missing'],
  ['half a character', '${foreign:0:1}', 'cuts a character in two'],
  ['more text than fits', '${huge}'.repeat(100), 'takes too long, or gives too much'],
  ['a replacement that gives too much', '${#a}${huge//x/${huge}}', 'takes too long, or gives too much'],
  ['a pattern that takes too long', `\${huge##${'*a'.repeat(1_000)}}`, 'takes too long, or gives too much'],
])('%s is refused with the way out', (_title, text, problem) => {
  expect(substituted(text, { a: 'x', foreign: '漢', huge: HUGE })).toEqual({
    problem: expect.stringContaining(problem),
  });
});

test('the limit is one for all texts of a build', () => {
  const all = substitution({ huge: HUGE });
  const results = Array.from({ length: 100 }, () => all.substitute('${huge}'));
  expect(results.filter((result) => 'problem' in result).length).toBeGreaterThan(0);
});

test('what functions make of a Secret is known, too', () => {
  const secret = substitution({ key: 'Secret' }, true);
  expect(secret.substitute('${key:0:3} ${key,,}')).toEqual({ text: 'Sec secret' });
  expect([...secret.secrets]).toEqual(['Sec', 'secret']);
});
