import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergeValues, pathWithin } from '../../../../../controllers/flux/source/model/values-files.js';

describe('values merge map by map', () => {
  test.each([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: { b: 1 } }, { a: null }, { a: null }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%j under %j', (under, over, merged) => expect(mergeValues(under, over)).toEqual(merged));

  test('`__proto__` is a key like any other', () => {
    const merged = mergeValues({}, JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(merged)).toEqual(['__proto__']);
  });

  test('laws: nothing changes nothing, twice is once, inputs stay', () => {
    const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(values, values, (under, over) => {
        const [before, merged] = [JSON.stringify([under, over]), mergeValues(under, over)];
        expect(mergeValues(under, {})).toEqual(under);
        expect(mergeValues(merged, over)).toEqual(merged);
        expect(JSON.stringify([under, over])).toBe(before);
      }),
    );
  });
});

test.each([
  ['./charts/web', ['charts', 'web']],
  ['/charts//web/', ['charts', 'web']],
  ['../../etc/passwd', ['etc', 'passwd']],
  ['a/../../b', ['b']],
  ['.', []],
])('the path %j stays below its root', (path, parts) => expect(pathWithin(path)).toEqual(parts));
