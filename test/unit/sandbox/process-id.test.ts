import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { identify, isAlive, signalProcess, waitUntilGone } from '#sandbox/process-id.js';

test('a process is itself as long as it runs', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const id = await identify(child.pid!);
  expect(id?.pid).toBe(child.pid);
  expect(await isAlive(id!)).toBe(true);
  expect(await signalProcess(id!, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
  await waitUntilGone([id!]);
  expect(await isAlive(id!)).toBe(false);
  expect(await signalProcess(id!, 'SIGKILL')).toBe(false);
});

test('a recycled pid is never hit', async () => {
  const me = await identify(process.pid);
  expect(await signalProcess({ pid: process.pid, started: `${me!.started}0` }, 'SIGKILL')).toBe(false);
});

test('a pid that nobody has is nobody', async () => {
  expect(await identify(2 ** 22 + 1)).toBeUndefined();
});
