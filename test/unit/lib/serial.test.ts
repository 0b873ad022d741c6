import { expect, test } from '@jest/globals';
import { Serial } from '#lib/serial.js';

test('what has one key is done in turn, also after a failure, and other keys do not wait', async () => {
  const turns = new Serial();
  const done: string[] = [];
  let goOn = (): void => undefined;
  const first = turns.run('a', async () => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    done.push('a1');
    throw new Error('no');
  });
  const second = turns.run('a', () => Promise.resolve(done.push('a2')));
  await turns.run('b', () => Promise.resolve(done.push('b')));
  expect(done).toEqual(['b']);
  goOn();
  await expect(first).rejects.toThrow('no');
  expect(await second).toBe(3);
  expect(done).toEqual(['b', 'a1', 'a2']);
});
