import { expect, test } from '@jest/globals';
import { revisionWords } from '#console/web/application/model/rollout-words.js';

const STATES = [
  ...['Current', 'RollingOut', 'Halted', 'Paused', 'RolledOut', 'RolledBack', 'LastGood', 'Pinned', 'NotKept'],
] as Parameters<typeof revisionWords>[0]['states'];

test('each state of a revision has words of its own', () => {
  const texts = revisionWords({ states: STATES }).map(({ text }) => text);
  expect(new Set(texts).size).toBe(STATES.length);
});

test('a rollout that is halted says at which stage, if that is known', () => {
  const halted = { states: ['Current', 'Halted'] } as const;
  expect(revisionWords({ ...halted, haltedAt: 'europe' })).toEqual([
    { meaning: 'good', text: 'Current spec' },
    { meaning: 'bad', text: 'Rollout halted at stage europe' },
  ]);
  expect(revisionWords(halted)[1]).toEqual({ meaning: 'bad', text: 'Rollout halted' });
});
