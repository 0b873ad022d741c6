import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { editsBetween, mergeThree, pathText } from '#console/web/editor/model/three-way.js';
import { withValueAt } from '#console/web/model/yaml-edit.js';
import { canonicalJson } from '#lib/json/lossless-json.js';

const [ONE, TWO] = [
  { name: 'one', x: 1 },
  { name: 'two', x: 2 },
];
const BASE = { a: 1, b: { c: 2, d: 3 }, list: [ONE, TWO] };

test.each<[string, object, object, unknown, string[]]>([
  ['different fields', { ...BASE, a: 2 }, { ...BASE, b: { c: 9, d: 3 } }, { ...BASE, a: 2, b: { c: 9, d: 3 } }, []],
  ['the same field alike', { ...BASE, a: 2 }, { ...BASE, a: 2 }, { ...BASE, a: 2 }, []],
  ['the same field', { ...BASE, a: 2 }, { ...BASE, a: 3 }, { ...BASE, a: 2 }, ['a']],
  ['a field that they removed', { ...BASE, a: 2 }, { b: BASE.b, list: BASE.list }, { ...BASE, a: 2 }, ['a']],
  ['a field that we removed', { a: 1, list: BASE.list }, { ...BASE, a: 5 }, { a: 5, list: BASE.list }, []],
  [
    'items of a list',
    { ...BASE, list: [{ ...ONE, x: 9 }, TWO] },
    { ...BASE, list: [ONE, { ...TWO, x: 8 }] },
    {
      ...BASE,
      list: [
        { ...ONE, x: 9 },
        { ...TWO, x: 8 },
      ],
    },
    [],
  ],
  [
    'an item, and the order',
    { ...BASE, list: [{ ...ONE, x: 9 }, TWO] },
    { ...BASE, list: [TWO, ONE] },
    { ...BASE, list: [{ ...ONE, x: 9 }, TWO] },
    ['list'],
  ],
  [
    'items that nothing tells apart',
    { ...BASE, list: [1, 2] },
    { ...BASE, list: [3, 1] },
    { ...BASE, list: [1, 2] },
    ['list'],
  ],
  ['the length of a list', { ...BASE, list: [] }, { ...BASE, list: [{ x: 1 }] }, { ...BASE, list: [] }, ['list']],
  ['a map and a text', { ...BASE, b: 'x' }, { ...BASE, b: { c: 2 } }, { ...BASE, b: 'x' }, ['b']],
])('both changed %s', (...[, mine, theirs, value, both]) => {
  const merged = mergeThree({ base: BASE, mine, theirs });
  expect(merged.value).toEqual(value);
  expect(merged.both.map(pathText)).toEqual(both);
});

/** Of a few clusters, some twice: each has a password of its own, once somebody has set it. */
const destination = fc.record({
  cluster: fc.constantFrom('eu', 'us', 'ap'),
  name: fc.constantFrom('', 'blue', 'green'),
});
const destinations = fc.uniqueArray(destination, {
  maxLength: 5,
  selector: ({ cluster, name }) => `${cluster} ${name}`,
});
type Destination = { readonly cluster: string; readonly name: string };
const entryOf = ({ cluster, name }: Destination, by: string) => ({
  ...(name === '' ? {} : { name }),
  destination: { targetNamespace: cluster },
  ...(by === '' ? {} : { values: { password: `${by} for ${name} ${cluster}` } }),
});
const deployed = fc.array(fc.tuple(destination, fc.constantFrom('', 'we', 'they')), { maxLength: 5 });

describe('of destinations', () => {
  it('no value that was set for one is found in another', () => {
    const entriesOf = (from: readonly (readonly [Destination, string])[]) => from.map(([of, by]) => entryOf(of, by));
    fc.assert(
      fc.property(destinations, deployed, deployed, fc.boolean(), (known, ours, theirs, isInPlace) => {
        const base = known.map((each) => entryOf(each, ''));
        // Often, we only set passwords where there are none.
        const mine = isInPlace
          ? known.map((each, index) => entryOf(each, index % 2 === 0 ? 'we' : ''))
          : entriesOf(ours);
        const { value } = mergeThree({ base, mine, theirs: entriesOf(theirs) });
        for (const entry of value as ReturnType<typeof entryOf>[]) {
          const own = `for ${entry.name ?? ''} ${entry.destination.targetNamespace}`;
          expect(entry.values?.password ?? own).toContain(own);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('a password for one that they moved stays where it was, and is a conflict', () => {
    const [eu, us, ap] = ['eu', 'us', 'ap'].map((cluster) => entryOf({ cluster, name: '' }, ''));
    const mine = [entryOf({ cluster: 'eu', name: '' }, 'we'), us];
    expect(mergeThree({ base: [eu, us], mine, theirs: [us, ap] })).toEqual({ value: mine, both: [[]] });
    expect(editsBetween([eu, us], [us, ap])).toEqual([{ path: [], value: [us, ap] }]);
  });
});

const value = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
});

describe('of any values', () => {
  it('who changed nothing loses nothing of the other', () => {
    fc.assert(
      fc.property(value, value, (base, changed) => {
        expect(canonicalJson(mergeThree({ base, mine: base, theirs: changed }).value)).toBe(canonicalJson(changed));
        expect(canonicalJson(mergeThree({ base, mine: changed, theirs: base }).value)).toBe(canonicalJson(changed));
      }),
    );
  });

  it('the edits between them turn one into the other', () => {
    fc.assert(
      fc.property(value, value, (from, to) => {
        const made = editsBetween(from, to).reduce<unknown>(
          (before, edit) => withValueAt(before, edit.path, 'value' in edit ? edit.value : edit.yaml),
          from,
        );
        expect(canonicalJson(made)).toBe(canonicalJson(to));
      }),
    );
  });
});

it('writes paths as the API server does', () => {
  expect(pathText(['spec', 'list', 0, 'name'])).toBe('spec.list[0].name');
});
