import { expect, test } from '@jest/globals';
import { inTurns, Turns } from '#runtime/turns.js';

function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** How often others had the thread meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test('a long computation lets others have the thread, and its results are in order', async () => {
  const work = (item: number): number => {
    busy(6);
    return item * 2;
  };
  let found: number[] = [];
  const turns = await turnsDuring(async () => (found = await inTurns([1, 2, 3, 4, 5], work)));
  expect(found).toEqual([2, 4, 6, 8, 10]);
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('what others wait for is not waited for before', async () => {
  const turns = new Turns();
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  busy(6);
  await turns.rest();
  order.push('rested');
  expect(order).toEqual(['other', 'rested']);
});

test('an error ends it', async () => {
  const failing = (): never => {
    throw new Error('bad');
  };
  await expect(inTurns([1], failing)).rejects.toThrow('bad');
});
