import { expect, it } from '@jest/globals';
import { limitedRun, run, type Run } from '#engine/process/run.js';

const OPTIONS = { timeoutMs: 20_000 };

it('runs no more programs at once than it may, and all in the end, whatever becomes of each', async () => {
  let running = 0;
  const counts: number[] = [];
  const counted: Run = async (...given) => {
    running += 1;
    counts.push(running);
    try {
      return await run(...given);
    } finally {
      running -= 1;
    }
  };
  const limited = limitedRun(counted, 2);
  const codes = [0, 1, 2, 3, 4];
  const results = await Promise.all(codes.map((code) => limited('sh', ['-c', `exit ${code}`], OPTIONS)));
  expect(results.map(({ code }) => code)).toEqual(codes);
  expect(Math.max(...counts)).toBe(2);
});

it('does not start what was cancelled while it waited for its turn', async () => {
  const limited = limitedRun(run, 1);
  const first = limited('sh', ['-c', 'sleep 0.1'], OPTIONS);
  const cancel = new AbortController();
  const second = limited('sh', ['-c', 'exit 7'], { ...OPTIONS, signal: cancel.signal });
  cancel.abort();
  await expect(second).rejects.toThrow('cancelled');
  await first;
});
