import { expect, test } from '@jest/globals';
import { smoothnessOf } from '#bench/dashboard.js';

test.each([
  ['nothing', [], { frames: 0, dropped: 0, medianMs: 0, worstMs: 0 }],
  ['every frame', [16.7, 16.6, 16.7], { frames: 3, dropped: 0, medianMs: 17, worstMs: 17 }],
  ['a little late', [16.7, 24.9, 16.7], { frames: 3, dropped: 0, medianMs: 17, worstMs: 25 }],
  ['one that is missing', [16.7, 33.3, 16.7], { frames: 3, dropped: 1, medianMs: 17, worstMs: 33 }],
  ['a tenth of a second without any', [100, 16.7, 16.7], { frames: 3, dropped: 5, medianMs: 17, worstMs: 100 }],
])('of %s', (_, times, expected) => expect(smoothnessOf(times)).toEqual(expected));
