import { describe, expect, test } from '@jest/globals';
import { applicationSchema } from '#console/shared/application-schema.js';
import { SchemaTree } from '#console/web/model/schema-spot.js';
import { choicesFor, helpFor, type YamlChoice } from '#console/web/model/yaml-choices.js';
import { placeOf } from '#console/web/model/yaml-place.js';

const TREE = new SchemaTree({
  required: ['name'],
  properties: {
    suspend: { type: 'boolean' },
    name: { type: 'string', description: 'What it is called.', default: 'web' },
    level: { enum: ['on', 'high', 'a\nb', 7] },
    spec: { type: 'object', properties: { a: {}, on: {} } },
    list: { type: 'array', items: { required: ['x'], properties: { x: { type: 'string' }, z: { type: 'object' } } } },
    words: { type: 'array', items: { enum: ['red', 'green'] } },
  },
});

/** `^` is the cursor. */
function choose(text: string, tree = TREE): readonly YamlChoice[] {
  const [whole, cursor] = [text.replace('^', ''), text.indexOf('^')];
  return choicesFor(whole, placeOf(whole, cursor), tree, cursor);
}

function labels(text: string): string {
  return choose(text)
    .map(({ label, isRequired }) => (isRequired ? `${label}!` : label))
    .join(' ');
}

describe('choices', () => {
  test.each([
    ['keys, those that must be there first', '^', 'name! suspend level spec list words'],
    ['those that are not there', 'name: a\n^\nspec:\n  a: 1\n', 'suspend level list words'],
    ['those with the letters', 's^', 'suspend spec list words'],
    ['of a map', 'spec:\n  ^', 'a on'],
    ['of a value', 'level: ^', "'on' high 7"],
    ['booleans', 'suspend: t^', 'true'],
    ['of an item', 'list:\n  - x: 1\n    ^', 'z'],
    ['of a list', 'list:\n  ^', 'x! z'],
    ['items that are words', 'words:\n- ^', 'red green'],
    ['nothing in a text', 'name: |\n  ^', ''],
    ['nothing where any value goes', 'name: ^', ''],
  ])('%s', (_, text, expected) => expect(labels(text)).toBe(expected));
});

test.each([
  ['a text', 'na^', 'name', 'name: '],
  ['a map', 'sp^', 'spec', 'spec:\n  '],
  ['a list', 'list:\n  - z:\n      ^', '', ''],
  ['a list of its own', 'li^', 'list', 'list:\n  - '],
  ['an item of a list', 'list:\n  ^', 'z', '- z:\n      '],
  ['a key that is there', 'na^me: x', 'name', 'name'],
  ['a key that reads as a boolean', 'spec:\n  o^', 'on', "'on': "],
  ['a value right behind its colon', 'suspend:^', 'true', ' true'],
])('%s is written so that the next thing can be typed', (_, text, label, insert) => {
  expect(choose(text).find((each) => each.label === label)?.insert ?? '').toBe(insert);
});

test.each([
  ['a value', 'name: x^', { path: 'name', type: 'string', isRequired: true, fallback: '"web"' }],
  ['its key', 'na^me: x', { path: 'name', description: 'What it is called.' }],
  ['an item', 'list:\n- x: ^', { path: 'list[0].x', isRequired: true }],
  ['a map', 'spec:\n  ^', { path: 'spec', type: 'object' }],
  ['a quoted word', 'name: "x^"', { path: 'name' }],
])('help is that of %s', (_, text, help) => {
  expect(helpFor(placeOf(text.replace('^', ''), text.indexOf('^')), TREE)).toMatchObject(help);
});

test.each(['^', 'spec:\n  a:\n    ^', 'odd: ^'])('there is none at %j, of which nothing is known', (text) => {
  const known = text === 'spec:\n  a:\n    ^' ? { type: 'any' } : undefined;
  const help = helpFor(placeOf(text.replace('^', ''), text.indexOf('^')), TREE);
  if (known === undefined) expect(help).toBeUndefined();
  else expect(help).toMatchObject(known);
});

test('a destination of an Application has the fields of the CRD', () => {
  const above =
    'spec:\n  fluxApp:\n    spec:\n      config:\n        helmRelease:\n          deploy:\n            - destination:\n';
  const tree = new SchemaTree(applicationSchema());
  const found = choose(`${above}                tar^`, tree);
  expect(found).toEqual([{ label: 'targetNamespace', isRequired: false, type: 'string', insert: 'targetNamespace: ' }]);
});
