import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { editYaml, offsetAt, textsIn, valueAt, withValueAt, type Path } from '#console/web/model/yaml-edit.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';

const TEXT = `# Ours.
metadata:
  name: web # short
spec:
  mode: 0644
  on: yes

  big: 9007199254740993
  empty:
  "quoted": 'single'
  text: |
    line
  list:
  - a: 1 # one
  - b: ~
`;

const edited = (path: Path, value: unknown): string => editYaml(TEXT, [{ path, value }]);

test.each<[string, Path, unknown, string, string]>([
  ['a text', ['metadata', 'name'], 'api', 'name: web # short', 'name: api # short'],
  ['a text that reads like something else', ['metadata', 'name'], 'yes', 'name: web', "name: 'yes'"],
  ['a number', ['spec', 'mode'], 420, 'mode: 0644', 'mode: 420'],
  ['what is nothing', ['spec', 'empty', 'key'], 1, '  empty:\n', '  empty:\n    key: 1\n'],
  ['an item', ['spec', 'list', 0, 'a'], 2, 'a: 1 # one', 'a: 2 # one'],
  ['another item', ['spec', 'list', 2], { c: 3 }, '  - b: ~\n', '  - b: ~\n  - c: 3\n'],
  ['what was there', ['spec', 'mode'], undefined, '  mode: 0644\n', ''],
  ['what was not there', ['spec', 'other', 'place'], undefined, 'x', 'x'],
  ['a list that was not there', ['spec', 'more', 0, 'x'], 1, '  - b: ~\n', '  - b: ~\n  more:\n  - x: 1\n'],
])('changes %s, and no line else', (...[, path, value, before, after]) => {
  expect(edited(path, value)).toBe(TEXT.replace(before, after));
});

describe('what cannot be edited where it stands is printed anew', () => {
  test.each<[string, string, Path, unknown]>([
    ['an alias', 'a: &x {b: 1}\nc: *x\n', ['c', 'b'], { a: { b: 1 }, c: { b: 2 } }],
    ['a merge key', 'a: &x {b: 1}\nc: {<<: *x}\n', ['c', 'b'], { a: { b: 1 }, c: { b: 2 } }],
    ['a key that is there twice', 'b: 0\nb: 1\n', ['b'], { b: 2 }],
    ['a key that is a boolean to Go', 'on: {a: 1}\n', ['true', 'a'], { true: { a: 2 } }],
    ['a text where a map is wanted', 'a: text\n', ['a', 'b'], { a: { b: 2 } }],
    ['an empty document', '', ['a'], { a: 2 }],
  ])('%s', (_, text, path, wanted) => {
    expect(parseYaml(editYaml(text, [{ path, value: 2 }]))).toEqual(wanted);
  });
});

it('keeps a key that means something to JavaScript one of a map', () => {
  const text = editYaml('a: 1\n', [{ path: ['__proto__', 'x'], value: 1 }]);
  expect(text).toBe('a: 1\n__proto__:\n  x: 1\n');
  expect(valueAt(parseYaml(text), ['__proto__', 'x'])).toBe(1);
  expect(valueAt({}, ['constructor'])).toBeUndefined();
});

it('refuses what is no YAML', () => {
  expect(() => editYaml('a: [', [{ path: ['a'], value: 1 }])).toThrow(SyntaxError);
});

function yamlAt(text: string, path: Path): string {
  return textsIn(text, parseYaml(text))(path);
}

it('shows what is at a path, and nothing for nothing', () => {
  expect(yamlAt(TEXT, ['spec', 'list'])).toBe('- a: 1 # one\n- b: ~\n');
  expect(yamlAt('a: {}\nb:\n', ['a'])).toBe('');
  expect(yamlAt('a: {}\nb:\n', ['b'])).toBe('');
});

it('shows several parts of one text, and what is used elsewhere, too', () => {
  const text = 'a: &x\n  # of a\n  b: 0644\nc: { d: *x }\n';
  const at = textsIn(text, parseYaml(text));
  for (let times = 0; times < 2; times += 1) {
    expect(at(['a'])).toMatch(/# of a\n.*b: 0644\n/s);
    expect(at(['c'])).toBe('d:\n  b: 420\n');
  }
});

it('finds where a value begins', () => {
  expect(TEXT.slice(offsetAt(TEXT, ['spec', 'list']))).toMatch(/^- a: 1/);
  expect(offsetAt(TEXT, ['spec', 'nothing'])).toBe(0);
  expect(offsetAt('a: [', ['b'])).toBe(0);
});

it('puts a text where a value was, with its comments', () => {
  const text = editYaml(TEXT, [{ path: ['spec', 'list'], yaml: '# All.\n- a: 0644 # two\n' }]);
  expect(text).toContain('  list:\n  # All.\n  - a: 0644 # two\n');
  expect(yamlAt(text, ['spec', 'list'])).toBe('# All.\n- a: 0644 # two\n');
});

it('puts the first key of a map on a line of its own', () => {
  expect(editYaml('a: {}\nb: {c: 1}\n', [{ path: ['a', 'x'], value: 1 }])).toBe('a:\n  x: 1\nb: { c: 1 }\n');
});

const key = fc.oneof(fc.constantFrom('a', 'b', 'yes', '1', '', '~', '__proto__', 'a: b', '#c'), fc.string());
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, 'yes', '0644', '~', 'null', '1e3', '- a', ' x', '12:30', '\u0085', 'a\n\n b\n'),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
  ),
}));
const document = fc.dictionary(key, tree, { minKeys: 1, maxKeys: 4 });
const somewhere = fc.array(key, { minLength: 1, maxLength: 3 });

describe('of any document', () => {
  it('an edit changes that value, and nothing else', () => {
    fc.assert(
      fc.property(document, somewhere, fc.option(tree, { nil: undefined }), (value, path, next) => {
        const text = editYaml(printYaml(value), [{ path, value: next }]);
        expect(canonicalJson(parseYaml(text))).toBe(canonicalJson(withValueAt(value, path, next)));
      }),
    );
  });

  it('no edit changes nothing', () => {
    fc.assert(
      fc.property(document, (value) => {
        expect(canonicalJson(parseYaml(editYaml(printYaml(value), [])))).toBe(canonicalJson(value));
      }),
    );
  });
});

test('a value is the one that was put there', () => {
  fc.assert(
    fc.property(document, somewhere, tree, (value, path, next) => {
      expect(valueAt(withValueAt(value, path, next), path)).toEqual(next);
    }),
  );
});
