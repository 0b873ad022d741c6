import { expect, test } from '@jest/globals';
import { shownDifferences } from '#console/shared/revision-answers.js';

test('values are JSON, and what is not there is empty', () => {
  const differences = [
    { path: '/a', old: undefined, new: '<b>' },
    { path: '/b', old: { c: [1] }, new: null },
  ];
  expect(shownDifferences(differences)).toEqual({
    differences: [
      { path: '/a', old: '', new: '"<b>"' },
      { path: '/b', old: '{"c":[1]}', new: '' },
    ],
    more: 0,
  });
});

test('what is long, or many, is cut', () => {
  const many = Array.from({ length: 502 }, (_, index) => ({ path: `/${index}`, old: 'a'.repeat(5_000), new: 1 }));
  const { differences, more } = shownDifferences(many);
  expect([differences.length, more, differences[0]?.old.length]).toEqual([500, 2, 2_001]);
});
