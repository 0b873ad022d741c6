import { describe, expect, it } from '@jest/globals';
import { askDivided } from '#controllers/application/evaluators/evaluator.js';

/** Answers `N!` for a number; a task with one of `slow` costs too much, and one with one of `bad` fails. */
async function ask(count: number, slow: readonly number[], bad: readonly number[] = []) {
  const tasks: (readonly [size: number, isPart: boolean])[] = [];
  const items = Array.from({ length: count }, (_, index) => index);
  const results = await askDivided<number, string>(items, {
    atOnce: 50,
    ask: (part, isPart) => {
      tasks.push([part.length, isPart]);
      if (part.some((each) => slow.includes(each))) return Promise.resolve({ overrun: 'takes long' });
      const failed = part.findIndex((each) => bad.includes(each));
      if (failed >= 0) return Promise.resolve({ failed, problem: `${part[failed]} is bad` });
      return Promise.resolve({ results: part.map((each) => ({ values: `${each}!` })) });
    },
    refused: (why) => `it ${why}`,
    postponed: 'later',
  });
  return { results, tasks };
}

const valuesOf = (index: number): object => ({ values: `${index}!` });
const LATER = { problem: 'later', retryAfterMs: 60_000 };

describe('items that are asked about together', () => {
  it('get their answers in order, in tasks of a limited size', async () => {
    const { results, tasks } = await ask(120, []);
    expect(results).toEqual(Array.from({ length: 120 }, (_, index) => valuesOf(index)));
    expect(tasks).toEqual([
      [50, false],
      [50, false],
      [20, false],
    ]);
  });

  it.each([0, 49, 50, 77, 119])('get them if item %s costs too much, which alone gets none', async (slow) => {
    const { results, tasks } = await ask(120, [slow]);
    const refused = { problem: 'it takes long', retryAfterMs: 600_000 };
    expect(results).toEqual(Array.from({ length: 120 }, (_, index) => (index === slow ? refused : valuesOf(index))));
    expect(tasks.length).toBeLessThan(20);
    expect(tasks.at(-1)).toEqual([expect.any(Number), true]);
  });

  it('are left for later if too many of them cost too much', async () => {
    const { results, tasks } = await ask(
      120,
      Array.from({ length: 60 }, (_, index) => 2 * index),
    );
    expect(results).toHaveLength(120);
    expect(results.slice(50)).toEqual(Array(70).fill(LATER));
    expect(tasks.length).toBeLessThan(25);
  });

  it('get them if some fail, which alone get none', async () => {
    const { results, tasks } = await ask(60, [], [7, 55]);
    const failed = (index: number): object => ({ problem: `${index} is bad` });
    expect(results).toEqual(
      Array.from({ length: 60 }, (_, index) => ([7, 55].includes(index) ? failed(index) : valuesOf(index))),
    );
    expect(tasks.map(([size]) => size)).toEqual([50, 49, 10, 9]);
  });

  it('are left for later if too many of them fail', async () => {
    const { results, tasks } = await ask(
      50,
      [],
      Array.from({ length: 40 }, (_, index) => index),
    );
    expect(tasks).toHaveLength(30);
    expect(results[29]).toEqual({ problem: '29 is bad' });
    expect(results.slice(30)).toEqual(Array(20).fill(LATER));
  });

  it('are left for later if nothing can be asked', async () => {
    const results = await askDivided([1, 2], {
      atOnce: 50,
      ask: () => Promise.resolve({ unavailable: 'no process' }),
      refused: (why) => why,
      postponed: 'later',
    });
    expect(results).toEqual(Array(2).fill({ problem: 'no process', retryAfterMs: 60_000 }));
  });
});
