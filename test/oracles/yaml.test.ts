import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { differences, useOracle, type Answer } from './oracle.js';
import { ours, REFUSED, theirs } from './yaml-readers.js';

/** Texts near the borders of the dialect: what looks like a number, a boolean, a date, or nothing. */
const word = fc.constantFrom(
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'yEs', 'no', 'No', 'n', 'N', 'on', 'On', 'ON', 'off', 'OFF', 'oFF'],
  ...['true', 'True', 'TRUE', 'tRUE', 'false', 'False', 'FALSE', '~', 'null', 'Null', 'NULL', 'nULL', ''],
  ...['0', '-0', '+0', '00', '0644', '0o644', '0O17', '-0644', '089', '0x1F', '0X1f', '-0x1F', '0b101', '0B1', '-0b11'],
  ...['1_000', '1__0', '_1', '1_', '0x_1', '0_7', '1.', '.5', '-.5', '+.5', '1.e3', '1e3', '1E+3', '-1e-3', '1e', 'e1'],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '18446744073709551615', '1e400', '-1e400'],
  ...['-9223372036854775808', '-9223372036854775809', '18446744073709551616', '123456789012345678901234567890'],
  ...[
    '12:30:45',
    '1:1',
    '2001-01-01',
    '2001-12-14t21:59:43.10-05:00',
    '2001-12-14 21:59:43',
    '1.2.3',
    'v1',
    '1.0',
    '10.0',
  ],
  ...['=', '<<', '-', '--', '+', '.', '..', '...', '._', '+_1', '-_1', '1_e3', '.5_5', '._5', '5._', '1.5_0', '1_0.5'],
  ...['.inf', '-.Inf', '.NaN', '.INF', '+.inf', '-.nan', '.Nan', '1.5', '0.1e1', '0.0', '-0.0', '1e21', '1e20', '1e6'],
);
const near = fc.string({ unit: fc.constantFrom(...'0123456789_+-.xobeE'.split('')), minLength: 1, maxLength: 8 });
const scalar = fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: near });
const quoted = fc.tuple(fc.constantFrom('"', "'"), scalar).map(([quote, text]) => `${quote}${text}${quote}`);
/** Keys that Go reads as a float64 are left out: it writes them by way of a float32, and nobody has such keys. */
const key = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '"a b"', 'd e', 'true', '1', '0x10', '~', 'y', '1.5'),
  word.filter((text) => !/[.eE]|\d{20}|-9223372036854775809/.test(text)),
);
const leaf = fc.oneof({ weight: 5, arbitrary: scalar }, { weight: 1, arbitrary: quoted });
/** What JSON cannot have we refuse where we read it, Go only where no later value of the same key replaced it. */
function isComparable(pairs: readonly (readonly [string, string])[]): boolean {
  const keys = new Set(pairs.map(([name]) => String(ours({ text: name }))));
  return keys.size === pairs.length || ours({ text: textOf(pairs) }) !== REFUSED;
}

function textOf(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, text]) => `${name}: ${text}\n`).join('');
}

/** A bare dash inside brackets is an error to readers of YAML 1.2, ours included, and a string to Go. */
const inFlow = leaf.filter((text) => text !== '-');
const flow = fc.oneof(
  fc.array(inFlow, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
  fc
    .array(
      fc.tuple(
        key.filter((text) => text !== '-'),
        inFlow,
      ),
      { maxLength: 3 },
    )
    .filter(isComparable)
    .map((pairs) => `{${pairs.map(([k, v]) => `${k}: ${v}`).join(', ')}}`),
);
const block = fc
  .tuple(fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2'), fc.array(scalar, { minLength: 1, maxLength: 4 }))
  .map(([style, lines]) => `${style}\n${lines.map((line) => `  ${line}`).join('\n')}`);
const anchored = leaf.map((text) => `&it ${text}\nagain: *it`);
const value = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 2, arbitrary: flow },
  { weight: 1, arbitrary: block },
  { weight: 1, arbitrary: anchored },
  {
    weight: 1,
    arbitrary: fc
      .array(leaf, { minLength: 1, maxLength: 3 })
      .map((items) => items.map((item) => `\n- ${item}`).join('')),
  },
);
const document = fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 }).filter(isComparable).map(textOf);
/** Where documents begin and end. */
const ends = fc.constantFrom(
  ...[
    '...',
    '...\na: 1\n',
    '\n...\n',
    '# a\n \r\n...\n',
    ' ...\n',
    '...a',
    '---\n...\n',
    'a: 1\n...\n...\n',
    '---\n---\na: 1\n',
  ],
);
const cases = fc
  .oneof({ weight: 1, arbitrary: leaf }, { weight: 8, arbitrary: document }, { weight: 1, arbitrary: ends })
  .map((text) => ({ text }));

/** Around the share of aliases that go-yaml allows; the plain part is what a user wrote beside them. */
const aliased = fc
  .record({ levels: fc.integer({ min: 1, max: 4 }), width: fc.integer({ min: 2, max: 30 }), plain: fc.nat(300) })
  .filter(({ levels, width }) => width ** levels < 30_000)
  .map(({ levels, width, plain }) => {
    const line = (level: number): string =>
      `l${level}: &l${level} [${Array(width)
        .fill(`*l${level - 1}`)
        .join(', ')}]`;
    const lines = Array.from({ length: levels }, (_, index) => line(index + 1));
    return {
      text: [`l0: &l0 {a: 1}`, ...lines, `m: {<<: *l0}`, `plain: [${Array(plain).fill('1').join(', ')}]`].join('\n'),
    };
  });

const ask = useOracle('yaml');

test('YAML is read as the libraries of helm, kubectl and Flux read it', async () => {
  expect(await differences({ ask, cases, count: 10_000, theirs, ours })).toEqual([]);
});

test('aliases are refused where the library refuses them', async () => {
  const verdict = (value: unknown): unknown => (value === REFUSED ? REFUSED : 'read');
  const verdicts = {
    theirs: (answer: Answer) => verdict(theirs(answer)),
    ours: (question: { text: string }) => verdict(ours(question)),
  };
  expect(await differences({ ask, cases: aliased, ...verdicts })).toEqual([]);
});
