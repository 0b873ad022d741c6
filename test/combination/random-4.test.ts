import { expect, it } from '@jest/globals';
import { LIMIT_MS, missingIn, tellStories } from './random-stories.js';

it(
  'holds all invariants in random stories, and sees enough of everything',
  async () => {
    const { failures, coverage } = await tellStories(4);
    expect(failures).toEqual([]);
    expect(missingIn(coverage)).toEqual([]);
  },
  LIMIT_MS,
);
