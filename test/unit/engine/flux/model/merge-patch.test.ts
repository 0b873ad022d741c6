import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch } from '#engine/flux/model/merge-patch.js';
import { RawNumber } from '#lib/json/lossless-json.js';
import { INHERITED } from '../../../../support/inherited-names.js';

function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(out, key);
    else out[key] = apply(out[key], value);
  }
  return out;
}

describe('mergePatch', () => {
  test.each([
    ['nothing for equal objects', { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, undefined],
    ['only what changed', { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
    ['null for a removed field', { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ['whole lists', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ['nothing for equal long numbers', { a: new RawNumber('1e400') }, { a: new RawNumber('1e400') }, undefined],
    [
      'a long number that changed',
      { a: new RawNumber('1e400') },
      { a: new RawNumber('1e401') },
      { a: new RawNumber('1e401') },
    ],
    ['nothing for a field that is undefined on one side', { a: 1 }, { a: 1, b: undefined }, undefined],
  ])('is %s', (_name, from, to, expected) => {
    expect(mergePatch(from, to)).toEqual(expected);
  });

  test.each(INHERITED)('takes a field called %s for one like any other', (name) => {
    const named = (value: unknown): object => Object.fromEntries([[name, value]]);
    expect(mergePatch({}, named('a'))).toEqual(named('a'));
    expect(mergePatch(named('a'), {})).toEqual(named(null));
    expect(mergePatch({}, named({}))).toEqual(named({}));
    expect(mergePatch(named({ b: 1 }), named({ b: 2 }))).toEqual(named({ b: 2 }));
  });

  test('turns any object into any other', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof({ depthSize: 'small' }, leaf, tie('tree'))),
    }));
    fc.assert(
      fc.property(tree, tree, (from, to) => {
        const patch = mergePatch(from, to);
        expect(patch === undefined ? from : apply(from, patch)).toEqual(to);
      }),
    );
  });
});
