import { expect, it } from '@jest/globals';
import { OverrunMemory } from '#lib/retry/overrun-memory.js';

it('what cost too much is known for ten minutes', () => {
  let now = 0;
  const memory = new OverrunMemory(() => now);
  expect(memory.whyNot('a')).toBeUndefined();
  memory.cost('a', 'takes too long');
  now = 599_999;
  expect([memory.whyNot('a'), memory.whyNot('b')]).toEqual(['takes too long', undefined]);
  now = 600_000;
  expect(memory.whyNot('a')).toBeUndefined();
});

it('what is killed three times in ten minutes is no accident', () => {
  let now = 0;
  const memory = new OverrunMemory(() => now);
  const kills = Array.from({ length: 4 }, () => memory.isKilledAgain('a'));
  expect([...kills, memory.isKilledAgain('b')]).toEqual([false, false, true, false, false]);
  now = 600_000;
  expect([memory.isKilledAgain('a'), memory.isKilledAgain('a')]).toEqual([false, false]);
});
