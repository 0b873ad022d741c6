import { expect, test } from '@jest/globals';
import { REVISION_WORDS } from '#console/web/model/revision-words.js';

test('each state of a revision has words of its own', () => {
  const texts = Object.values(REVISION_WORDS).map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
});
