import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf } from '#controllers/kustomization/model/substitution/bytes.js';
import { Substitution } from '#controllers/kustomization/model/substitution/substitute.js';
import { differences, useOracle, type Answer } from './oracle.js';

interface Case {
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
}

const REFUSED = 'refused';

const name = fc.constantFrom('a', 'a', 'a', 'b', 'b', 'b', 'c', '_d', 'e1', 'none', 'é');
const plain = fc.constantFrom('x', ' ', '\n', '$', '$$', '{', '}', '\\', '/', ':', '#', 'ab', 'ba.b', '"', '漢', '');
const wildOperator = fc.constantFrom('', ':', '-', '+', ':?', ':+', '?', '@', ' ', ':é', ',^', '^^^', '###', '//#');
const word = fc
  .array(fc.constantFrom('a', 'b', 'ab', '.', '*', '?', '[a-b]', '[^a]', '[', '\\', '\\/', '$', '$$', ' ', '1', '-2'), {
    minLength: 0,
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
const number = fc.constantFrom('0', '1', '2', '-1', '-3', '99', '-99', '+1', 'x', ' -1', '01');

/** What expressions are made of; `nested` stands for any of them. */
const { expression } = fc.letrec<{ expression: string; argument: string }>((tie) => ({
  argument: fc.oneof({ depthSize: 'small' }, word, number, tie('expression'), fc.constantFrom('x')),
  expression: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    name.map((each) => `\${${each}}`),
    name.map((each) => `\${#${each}}`),
    fc.tuple(name, fc.constantFrom('^', '^^', ',', ',,')).map(([each, operator]) => `\${${each}${operator}}`),
    fc.tuple(name, number, number).map(([each, offset, size]) => `\${${each}:${offset}:${size}}`),
    fc
      .tuple(name, fc.constantFrom(':-', ':=', '=', ':+', ':?', ':', '#', '##', '%', '%%'), tie('argument'))
      .map(([each, operator, argument]) => `\${${each}${operator}${argument}}`),
    fc
      .tuple(name, fc.constantFrom(':-', '='), tie('argument'), tie('argument'), tie('argument'))
      .map(([each, operator, ...args]) => `\${${each}${operator}${args.join('')}}`),
    fc
      .tuple(name, fc.constantFrom('/', '//', '/#', '/%'), tie('argument'), tie('argument'))
      .map(([each, operator, from, to]) => `\${${each}${operator}${from}/${to}}`),
    fc.tuple(name, wildOperator, word).map(([each, operator, rest]) => `\${${each}${operator}${rest}}`),
  ),
}));
const text = fc.array(fc.oneof({ weight: 2, arbitrary: plain }, { weight: 3, arbitrary: expression }), {
  minLength: 1,
  maxLength: 5,
});
const value = fc.array(fc.constantFrom('a', 'b', 'ab', '.', '/', 'B', ' ', '$', '${a}', '*'), { maxLength: 6 });
/** Patterns take whole characters here, where Flux's take bytes: such values are not compared with patterns. */
const foreign = fc.constantFrom('École', 'straße', 'ÀÉ', '漢字', 'ǆ', 'Σας');
const withPatterns = value.map((parts) => parts.join(''));

function caseOf(values: fc.Arbitrary<string>, texts: fc.Arbitrary<string[]>): fc.Arbitrary<Case> {
  const variables = fc.record({ a: values, b: values, c: fc.constant(''), _d: values, e1: values });
  return fc.record({ text: texts.map((parts) => parts.join('')), variables });
}

const cased = fc.tuple(name, fc.constantFrom('', '^', '^^', ',', ',,', ':1', ':0:3', '/É/e', ':-x'));
const foreignTexts = fc.array(
  cased.map(([each, rest]) => `\${${each}${rest}}`),
  { minLength: 1, maxLength: 3 },
);
const cases = fc.oneof(
  { weight: 9, arbitrary: caseOf(withPatterns, text) },
  { weight: 1, arbitrary: caseOf(foreign, foreignTexts) },
);

function ours({ text: template, variables }: Case): unknown {
  const known = Object.entries(variables).map(
    ([key, each]) => [key, { value: bytesOf(each), isSecret: false }] as const,
  );
  const result = new Substitution(new Map(known)).substitute(template);
  return 'text' in result ? result.text : REFUSED;
}

/** Flux reads the result as YAML, which refuses what is no UTF-8. */
function theirs({ text: encoded }: Answer): unknown {
  const bytes = Buffer.from(typeof encoded === 'string' ? encoded : '', 'base64');
  const result = bytes.toString('utf8');
  return encoded === undefined || !Buffer.from(result).equals(bytes) ? REFUSED : result;
}

const ask = useOracle('substitution');

test('variables are substituted as Flux substitutes them', async () => {
  expect(await differences({ ask, cases, theirs, ours })).toEqual([]);
});
