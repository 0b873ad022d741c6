import { describe, expect, it } from '@jest/globals';
import { askDivided } from '#controllers/application/ask-divided.js';

/** Answers `N!` for a number; a task with one of `slow` costs too much. */
async function ask(count: number, slow: readonly number[]) {
  const tasks: (readonly [size: number, isPart: boolean])[] = [];
  const items = Array.from({ length: count }, (_, index) => index);
  const answers = await askDivided(items, {
    atOnce: 50,
    ask: (part, isPart) => {
      tasks.push([part.length, isPart]);
      const costs = part.some((each) => slow.includes(each));
      return Promise.resolve(costs ? { overrun: 'takes long' } : { answers: part.map((each) => `${each}!`) });
    },
    refused: (why) => why,
    postponed: 'later',
  });
  return { answers, tasks };
}

describe('items that are asked about together', () => {
  it('get their answers in order, in tasks of a limited size', async () => {
    const { answers, tasks } = await ask(120, []);
    expect(answers).toEqual(Array.from({ length: 120 }, (_, index) => `${index}!`));
    expect(tasks).toEqual([
      [50, false],
      [50, false],
      [20, false],
    ]);
  });

  it.each([0, 49, 50, 77, 119])('get them if item %s costs too much, which alone gets none', async (slow) => {
    const { answers, tasks } = await ask(120, [slow]);
    expect(answers).toEqual(Array.from({ length: 120 }, (_, index) => (index === slow ? 'takes long' : `${index}!`)));
    expect(tasks.length).toBeLessThan(20);
    expect(tasks.at(-1)).toEqual([expect.any(Number), true]);
  });

  it('are left for later if too many of them cost too much', async () => {
    const { answers, tasks } = await ask(
      120,
      Array.from({ length: 60 }, (_, index) => 2 * index),
    );
    expect(answers).toHaveLength(120);
    expect(new Set(answers.slice(50))).toEqual(new Set(['later']));
    expect(tasks.length).toBeLessThan(25);
  });
});
