import fc from 'fast-check';

export type Tree = Record<string, unknown>;

const tricky = fc.constantFrom(
  ...[
    '',
    ' ',
    'yes',
    'n',
    '0644',
    '1e3',
    '1_000',
    '12:30:45',
    '2001-01-01',
    '~',
    'null',
    'true',
    '.5',
    '0x1F',
    '=',
    '-',
  ],
  ...[
    'a: b',
    'a #b',
    '#x',
    '- x',
    '? x',
    '[x',
    '{x',
    '*x',
    '&x',
    '!x',
    '%x',
    '@x',
    '`x',
    '|',
    '>',
    "it's",
    '"q"',
    ':',
    'x:',
  ],
  ...[
    '---',
    '...',
    '--- x',
    'x\ny',
    'x\n',
    '\nx',
    'x \ny',
    ' x',
    'x ',
    '\t',
    'x\ty',
    'x\t',
    '\r',
    'x\r\ny',
    '\u0085',
    '\u00a0',
    '\u2028',
  ],
  ...[
    '\ufeff',
    '\ufeffx',
    'ä',
    '漢字',
    '🚢',
    'x 🚢',
    '\u0000',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u0080',
    '\ufffe',
    '\ufffd',
    '\\',
    '\\n',
  ],
  ...[
    '<<',
    '1.',
    '+1',
    '-',
    '--',
    '.inf',
    '.NaN',
    '0b1',
    '0o7',
    '1:1',
    '1.2.3',
    'v1',
    '\n',
    '\n\n',
    'x\n\n',
    ' \n',
    'x\n y',
    '\n x',
    "'",
    '"',
  ],
);
/** Line breaks that few know of, and a byte order mark. */
const odd = fc.constantFrom(
  ...[
    'x\u2028y',
    'x\u2028',
    '\u2029x y',
    'x \u2028',
    'x\u2028 y',
    'x\n\u2028y',
    'x\r',
    'x\u0085y',
    '\ufeffx y',
    '\ufeff ',
  ],
  ...[`\u2028 ${'word '.repeat(20)}x`, `a\u2028${'word '.repeat(20)}x`, `\ufeff${'word '.repeat(20)}x`],
);
const words = fc
  .array(fc.constantFrom('word', 'a', 'longer-word', 'b  c', '"', "'", ':', '# x', 'ä', '漢'), {
    minLength: 12,
    maxLength: 40,
  })
  .map((parts) => parts.join(' '));
const lines = fc
  .array(fc.constantFrom('', 'x', ' x', 'x ', 'x: y', '- x', '#', 'a long line '.repeat(9)), {
    minLength: 2,
    maxLength: 5,
  })
  .map((parts) => parts.join('\n'));
const text = fc.oneof(
  odd,
  { weight: 4, arbitrary: tricky },
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 5 }),
  words,
  lines,
);
const number = fc.oneof(
  fc.integer(),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    100_000,
    1_000_000,
    123_456_789,
    2 ** 53,
    -(2 ** 53),
    2 ** 62,
    2 ** 63,
    2 ** 64,
    -(2 ** 63),
    -(2 ** 64),
  ),
  fc.constantFrom(1e20, 1e21, 1.5, 0.1, 1e-4, 1e-5, 1e-7, -0, 1.5e300, 5e-324, 123_456.789, 1_234_567.5, 1e6 + 0.5),
);
const scalar = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: number },
  fc.boolean(),
  fc.constant(null),
);

function treeOf(key: fc.Arbitrary<string>, leaf: fc.Arbitrary<unknown>): fc.Arbitrary<Tree> {
  const { map } = fc.letrec<{ map: Tree; value: unknown }>((tie) => ({
    map: fc.dictionary(key, tie('value'), { maxKeys: 4, depthIdentifier: 'tree', noNullPrototype: true }),
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'tree' },
      { weight: 4, arbitrary: leaf },
      { weight: 2, arbitrary: tie('map') },
      { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'tree' }) },
    ),
  }));
  return map;
}

/** Values of every shape: what a digest has to be the same for. */
export const anyTree = treeOf(
  fc.oneof({ weight: 2, arbitrary: fc.constantFrom('a', 'b', 'image', 'tag') }, text),
  scalar,
);

/** Values under few keys, so that two of them often meet. */
export const crowdedTree = treeOf(
  fc.constantFrom('a', 'b', 'c', 'd.e'),
  fc.oneof(fc.constantFrom('x', 'y', '', 'true'), fc.integer({ min: 0, max: 9 }), fc.boolean(), fc.constant(null)),
);
