import { expect, test } from '@jest/globals';
import { Questions } from '#console/server/questions.js';

test('questions are asked some at a time, some wait, and more are refused', async () => {
  const questions = new Questions({ atOnce: 2, mostWaiting: 1 });
  let asked = 0;
  const ends: (() => void)[] = [];
  const ask = (): Promise<number> => {
    asked += 1;
    return new Promise((resolve) => ends.push(() => resolve(asked)));
  };
  const all = [questions.ask(ask), questions.ask(ask)];
  await new Promise(setImmediate);
  all.push(questions.ask(ask));
  await new Promise(setImmediate);
  await expect(questions.ask(ask)).rejects.toMatchObject({ code: 503 });
  expect(asked).toBe(2);
  for (const end of ends) end();
  await new Promise(setImmediate);
  for (const end of ends) end();
  expect(await Promise.all(all)).toEqual([2, 2, 3]);
});
