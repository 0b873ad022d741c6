import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { createOffload, OverrunError, type Offload, type Task } from '#controllers/runtime/offload.js';
import { CancelledError } from '#controllers/runtime/pure/errors.js';

function address(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

const THREAD = address(
  transformSync(readFileSync('controllers/runtime/offload-thread.ts', 'utf8'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  }).code,
);

/** A module with the one task `it`. */
function task(body: string, deadlineMs = 30_000): Task {
  const module = address(`export const it = { run: async (input) => { ${body} } };`);
  return { module, name: 'it', deadlineMs, run: () => '' };
}

const ECHO = task('return input;');
const FOR_EVER = task('for (;;) {}', 200);
const UNTIL_FILE = task(`
  const { existsSync } = await import('node:fs');
  while (!existsSync(input)) await new Promise((resolve) => setTimeout(resolve, 5));
  return input;`);

let now = 0;
let offload: Offload;
function open(idleMs = 60_000): Offload {
  offload = createOffload({
    locate: (url) => (url.endsWith('offload-thread.js') ? THREAD : url),
    idleMs,
    now: () => now,
  });
  return offload;
}
afterEach(() => offload.close());

describe('tasks in other threads', () => {
  it('answer, many and from many tenants', async () => {
    const pool = open();
    const inputs = Array.from({ length: 20 }, (_, index) => `input ${index}`);
    expect(await Promise.all(inputs.map((input, index) => pool.run(ECHO, input, `tenant ${index % 3}`)))).toEqual(
      inputs,
    );
  });

  it('that take too long are ended, remembered for ten minutes, and delay no other tenant', async () => {
    const pool = open();
    const slow = pool.run(FOR_EVER, 'x', 'a');
    expect(await pool.run(ECHO, 'y', 'b')).toBe('y');
    await expect(slow).rejects.toEqual(new OverrunError('takes longer than 0.2 s'));
    const again = pool.run({ ...FOR_EVER, deadlineMs: 600_000 }, 'x', 'a');
    await expect(again).rejects.toEqual(new OverrunError('takes longer than 0.2 s'));
    now += 600_001;
    await expect(pool.run({ ...FOR_EVER, module: ECHO.module }, 'x', 'a')).resolves.toBe('x');
  });

  it('that took too long are known by their key, whatever their files are called', async () => {
    const pool = open();
    const index = { ...FOR_EVER, key: 'the digest' };
    await expect(pool.run(index, '/scratch/a', 'a')).rejects.toThrow(OverrunError);
    await expect(pool.run({ ...index, module: ECHO.module }, '/scratch/b', 'a')).rejects.toThrow(OverrunError);
    const other = { ...index, module: ECHO.module, key: 'another digest' };
    expect(await pool.run(other, '/scratch/b', 'a')).toBe('/scratch/b');
  });

  it('that took too long for one tenant are tried for another, who may have other files by that key', async () => {
    const pool = open();
    const index = { ...FOR_EVER, key: 'the revision' };
    await expect(pool.run(index, '/scratch/a', 'a')).rejects.toThrow(OverrunError);
    expect(await pool.run({ ...index, module: ECHO.module }, '/scratch/b', 'b')).toBe('/scratch/b');
  });

  it('that take too much memory are ended', async () => {
    const hungry = task('const all = []; for (;;) all.push(new Array(1e6).fill(1.5));');
    await expect(open().run(hungry, 'x', 'a')).rejects.toEqual(new OverrunError('takes too much memory'));
    expect(await offload.run(ECHO, 'y', 'a')).toBe('y');
  });

  it('wait for their own tenant, not for that of another', async () => {
    const pool = open();
    const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-offload-'));
    const files = ['a1', 'a2', 'a3'].map((name) => path.join(folder, name));
    const ended: string[] = [];
    const slow = files.map((file) => pool.run(UNTIL_FILE, file, 'a').then(() => ended.push(path.basename(file))));
    expect(await pool.run(ECHO, 'y', 'b')).toBe('y');
    expect(ended).toEqual([]);
    // The first one is the last that may end.
    for (const file of files.reverse()) await writeFile(file, '');
    await Promise.all(slow);
    expect(ended).toEqual(['a1', 'a2', 'a3']);
    await rm(folder, { recursive: true });
  });

  it('that throw are reported with their stack', async () => {
    await expect(open().run(task('null.x'), 'x', 'a')).rejects.toThrow(/TypeError: Cannot read properties of null/);
  });

  it('that fail with the disk keep the code of the error', async () => {
    const full = task("throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });");
    await expect(open().run(full, 'x', 'a')).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('are cancelled when the pool is closed', async () => {
    const pool = open();
    const running = [1, 2, 3].map((each) => pool.run(task('for (;;) {}'), `${each}`, `${each % 2}`));
    const outcomes = Promise.allSettled(running);
    await pool.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: expect.any(CancelledError) });
    await expect(pool.run(ECHO, 'x', 'a')).rejects.toThrow(CancelledError);
  });
});
