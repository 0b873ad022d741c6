import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sourceIgnore } from '#controllers/source/model/ignore.js';
import { differences, useOracle } from './oracle.js';

interface Case {
  readonly spec?: string;
  readonly files: readonly { readonly folder: string; readonly text: string }[];
  readonly paths: readonly string[];
}

const word = fc.constantFrom(
  'a',
  'b',
  'ab',
  'a.md',
  'b.txt',
  'ü',
  '漢',
  '🚢',
  'logo.png',
  'x.tar.gz',
  '!a',
  '#a',
  'a b',
  '*',
  '-',
  ']',
);
const ofGit = fc.constantFrom(
  '.git',
  '.gitignore',
  '.github',
  '.gitmodules',
  '.sops.yaml',
  '.flux.yaml',
  '.goreleaser.yml',
);
const name = fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: ofGit });
const paths = fc.array(
  fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
  { minLength: 8, maxLength: 8 },
);

const odd = fc.constantFrom(
  ...[
    '[a-c]',
    '[!a]',
    '[^a]',
    '[]a]',
    '[a',
    '[a-]',
    '[-a]',
    '[a-b-c]',
    '[\\]]',
    '[*]',
    '[ü-漢]',
    '[^]]',
    'a]',
    '[[]',
    '[a*]b',
  ],
  ...['\\a', '\\*', '\\', '\\#a', '\\!a', '\\[', 'a\\ ', '\\ ', '*\\', '[\\', 'a\\\\b'],
  ...[
    '**',
    '***',
    'a**',
    '**b',
    '*?',
    '*??',
    '?',
    '??',
    'a?',
    '?b',
    '*.*',
    '.*',
    '*a*',
    '*b',
    'a*',
    '*ü*',
    '*.md',
    '',
    ' ',
    '\t',
  ],
);
const part = fc.oneof({ weight: 3, arbitrary: name }, { weight: 3, arbitrary: odd });
const near = fc.string({ unit: fc.constantFrom(...'ab*?[]^-\\!ü./'.split('')), minLength: 1, maxLength: 8 });
const pattern = fc.oneof(
  { weight: 3, arbitrary: part },
  { weight: 4, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')) },
  { weight: 2, arbitrary: near },
);
const line = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '!/', '# ', ' '),
    pattern,
    fc.constantFrom('', '', '', '/', ' ', '/ ', '\t', '\r', '/**', '/*'),
  )
  .map((texts) => texts.join(''));
const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
const folder = fc.constantFrom('', '', 'a', 'b', 'a/b', 'a/ab');
const files = fc.uniqueArray(fc.record({ folder, text }), { maxLength: 2, selector: (file) => file.folder });
const cases: fc.Arbitrary<Case> = fc
  .record({ spec: text, files, paths }, { requiredKeys: ['files', 'paths'] })
  .map((value) => ({ ...value, files: [...value.files].sort((a, b) => a.folder.length - b.folder.length) }));

const ask = useOracle('ignored');

test('files stay out of an artifact that the library of source-controller leaves out', async () => {
  const question = ({ spec, files: asked, paths: asking }: Case): unknown => ({
    spec: spec ?? null,
    files: asked.map((file) => ({ text: file.text, folder: file.folder === '' ? [] : file.folder.split('/') })),
    paths: asking,
  });
  const theirs = (answer: Readonly<Record<string, unknown>>): unknown => answer['ignored'];
  const ours = ({ spec, files: read, paths: named }: Case): unknown => named.map(sourceIgnore(spec, read));
  expect(await differences({ ask, cases, count: 5_000, question, theirs, ours })).toEqual([]);
});
