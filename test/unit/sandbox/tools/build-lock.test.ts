import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify } from '#sandbox/process-id.js';
import { withLock } from '#sandbox/tools/build-lock.js';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-lock-'));
  file = path.join(folder, 'etcd-0123456789ab.lock');
});

afterEach(() => rm(folder, { recursive: true }));

test('the lock is held during the work and gone after it', async () => {
  expect(await withLock(file, () => Promise.resolve(existsSync(file)))).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test('the lock is gone after work that failed', async () => {
  await expect(withLock(file, () => Promise.reject(new Error('no compiler')))).rejects.toThrow('no compiler');
  expect(await readdir(folder)).toEqual([]);
});

test('only one holds it at a time, and who waits says so once', async () => {
  const waited: number[] = [];
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  const one = (): Promise<void> => withLock(file, work, { onWait: ({ pid }) => waited.push(pid) });
  await Promise.all([one(), one(), one()]);
  expect(most).toBe(1);
  expect(waited.length).toBeLessThanOrEqual(2);
  expect(new Set(waited)).toEqual(new Set(waited.length === 0 ? [] : [process.pid]));
});

test('the lock of a dead process is taken over', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const owner = await identify(child.pid!);
  await writeFile(file, JSON.stringify(owner));
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await withLock(file, () => Promise.resolve('taken over'))).toBe('taken over');
});

test('the lock of a pid that now belongs to another process is taken over', async () => {
  await writeFile(file, JSON.stringify({ pid: process.pid, started: 'long ago' }));
  expect(await withLock(file, () => Promise.resolve('taken over'))).toBe('taken over');
});

test('a lock whose owner died before it wrote its name is taken over', async () => {
  await writeFile(file, '');
  expect(await withLock(file, () => Promise.resolve('taken over'))).toBe('taken over');
});

test('waiting ends with the signal', async () => {
  await writeFile(file, JSON.stringify(await identify(process.pid)));
  const work = withLock(file, () => Promise.resolve(), { signal: AbortSignal.timeout(50) });
  await expect(work).rejects.toThrow();
});
