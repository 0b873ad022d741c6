import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { groupedBy } from '#lib/plain.js';
import { INHERITED } from '../../support/inherited-names.js';

describe('items grouped by a text', () => {
  it('keep their order, as do the groups; those without a key are left out', () => {
    const groups = groupedBy(['b1', 'a1', '2', 'b2', ''], (each) => each[0]);
    expect([...groups]).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a1']],
      ['2', ['2']],
    ]);
  });

  it('are found by any text, and by no other one, also by one that each object has', () => {
    const text = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(...INHERITED));
    fc.assert(
      fc.property(fc.array(text), text, (texts, wanted) => {
        const alike = texts.filter((each) => each === wanted);
        expect(groupedBy(texts, (each) => each).get(wanted) ?? []).toEqual(alike);
      }),
    );
  });
});
