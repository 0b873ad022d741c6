import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { build } from 'esbuild';
import { eventually } from '#bench/scenarios/eventually.js';
import { createOffload, OverrunError, type Offload, type Task } from '#runtime/isolation/offload.js';
import { CancelledError, TransientError } from '#lib/errors.js';

function address(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

let folder: string;
let entry: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-offload-'));
  const file = path.join(folder, 'child.mjs');
  const { code } = transformSync(readFileSync('runtime/isolation/offload-child.ts', 'utf8'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  await writeFile(file, code);
  entry = pathToFileURL(file).href;
});
afterAll(() => rm(folder, { recursive: true }));

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

/** Number of living child processes of this one that run the entry. */
function living(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(entry.replace('file://', ''));
      return isOurs && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  }).length;
}

let now = 0;
let offload: Offload;
function open(idleMs = 60_000): Offload {
  offload = createOffload({
    locate: (url) => (url.endsWith('offload-child.js') ? entry : url),
    idleMs,
    now: () => now,
  });
  return offload;
}
afterEach(() => offload.close());

describe('tasks in child processes', () => {
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

  it('that make V8 abort end their own process alone, and are not tried again for ten minutes', async () => {
    const pool = open();
    const lethal = task("process.kill(process.pid, 'SIGTRAP'); for (;;) {}");
    const why = 'ends the process that reads it (SIGTRAP)';
    const other = pool.run(ECHO, 'y', 'b');
    await expect(pool.run(lethal, 'x', 'a')).rejects.toEqual(new OverrunError(why));
    expect(await other).toBe('y');
    await expect(pool.run({ ...lethal, module: ECHO.module }, 'x', 'a')).rejects.toEqual(new OverrunError(why));
    expect(await pool.run(ECHO, 'z', 'a')).toBe('z');
  });

  it('whose process somebody else kills are tried again', async () => {
    const pool = open();
    const killed = task("process.kill(process.pid, 'SIGKILL'); for (;;) {}");
    await expect(pool.run(killed, 'x', 'a')).rejects.toThrow(TransientError);
    expect(await pool.run({ ...killed, module: ECHO.module }, 'x', 'a')).toBe('x');
  });

  it('whose process is killed each time are not tried again for ten minutes', async () => {
    const pool = open();
    const killed = task("process.kill(process.pid, 'SIGKILL'); for (;;) {}");
    for (const kind of [TransientError, TransientError, OverrunError, OverrunError]) {
      await expect(pool.run(killed, 'x', 'a')).rejects.toThrow(kind);
    }
    now += 600_001;
    expect(await pool.run({ ...killed, module: ECHO.module }, 'x', 'a')).toBe('x');
  });

  it('all fail, and for now, while no process can be started', async () => {
    let isFull = true;
    offload = createOffload({
      locate: (url) => {
        if (!url.endsWith('offload-child.js')) return url;
        if (isFull) throw new Error('spawn ENOMEM');
        return entry;
      },
    });
    const all = ['a', 'b', 'c', 'd', 'e'].map((tenant) => offload.run(ECHO, 'x', tenant));
    const failed = await Promise.allSettled(all);
    for (const each of failed) expect(each).toMatchObject({ status: 'rejected', reason: expect.any(TransientError) });
    isFull = false;
    expect(await offload.run(ECHO, 'x', 'a')).toBe('x');
  });

  it('never run in more than two processes, not even while one that took too long is being killed', async () => {
    const pool = open();
    const pid = task('return String(process.pid);');
    const slow = ['a', 'b', 'c', 'd'].map((tenant) => pool.run(FOR_EVER, 'x', tenant).catch(() => living()));
    const pids = ['e', 'f', 'g'].map((tenant) => pool.run(pid, 'x', tenant));
    for (const count of await Promise.all(slow)) expect(count).toBeLessThanOrEqual(2);
    expect(new Set(await Promise.all(pids)).size).toBeLessThanOrEqual(2);
  });

  it('end with their parent, even if it is killed while they let nothing else happen', async () => {
    open();
    const pool = path.join(folder, 'pool.mjs');
    await build({
      entryPoints: ['runtime/isolation/offload.ts'],
      // The sources of `#...`, as for the compiler.
      conditions: ['source'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: pool,
    });
    const { module, name } = task('for (;;) {}');
    const program = `
      import { createOffload } from ${JSON.stringify(pool)};
      const locate = (url) => (url.endsWith('offload-child.js') ? process.env.ENTRY : url);
      const task = { module: process.env.MODULE, name: '${name}', deadlineMs: 600_000 };
      createOffload({ locate }).run(task, 'x', 'a');`;
    const env = { ENTRY: entry, MODULE: module };
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: 'inherit' });
    await eventually(() => expect(living()).toBe(1));
    parent.kill('SIGKILL');
    await eventually(() => expect(living()).toBe(0));
  });

  it('do not begin once their parent is gone, even if it was killed while they started', async () => {
    const child = fork(fileURLToPath(entry));
    const reports: unknown[] = [];
    child.on('message', (report) => reports.push(report));
    const { module, name } = task('for (;;) {}');
    child.send({ module, name, input: 'x', parent: process.pid + 1 });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(reports).toEqual([]);
  });

  it('carry out the order of an older version, which names no parent', async () => {
    const child = fork(fileURLToPath(entry));
    const reports: unknown[] = [];
    child.on('message', (report) => {
      if (reports.push(report) === 2) child.disconnect();
    });
    const { module, name } = task('return input;');
    child.send({ module, name, input: 'x' });
    await once(child, 'exit');
    expect(reports).toEqual([{ begun: true }, { output: 'x' }]);
  });

  it('see nothing of the environment, and nothing of them is in the arguments', async () => {
    const look = task(`return JSON.stringify([Object.keys(process.env), process.argv.length, input]);`);
    const [names, length, input] = JSON.parse(await open().run(look, 'x', 'a')) as [string[], number, string];
    expect(
      names.filter((name) => !['TZ', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'].includes(name)),
    ).toEqual([]);
    expect([length, input]).toEqual([2, 'x']);
  });

  it('have as deep a stack as threads had, and large texts on both ways', async () => {
    const deep = task(`
      const descend = (left) => (left === 0 ? 0 : 1 + descend(left - 1));
      return descend(20_000) + input;`);
    const text = '\u{1f600}x'.repeat(5_000_000);
    expect(await open().run(deep, text, 'a')).toBe(`20000${text}`);
  });

  it('that answer with more than 64 MiB, or throw it, do not hand it to this process', async () => {
    const pool = open();
    const before = process.memoryUsage();
    const long = task("return 'x'.repeat(250_000_000);");
    const told = await pool.run(long, 'x', 'a').catch((error: unknown) => error);
    expect(told).toEqual(new OverrunError('takes more than 67108864 bytes'));
    await expect(pool.run({ ...long, module: ECHO.module }, 'x', 'a')).rejects.toEqual(told);
    const loud = pool.run(task("throw new Error('x'.repeat(100_000_000));"), 'x', 'a');
    expect(await loud.catch((error: unknown) => String(error).length)).toBeLessThan(20_000);
    expect(process.memoryUsage().rss - before.rss).toBeLessThan(150_000_000);
    expect(await pool.run(ECHO, 'y', 'a')).toBe('y');
  });

  it('of the tenant whose inputs are the longest do not wait beside more than can be held', async () => {
    const pool = open();
    const files = ['h1', 'h2'].map((name) => path.join(folder, name));
    const busy = files.map((file) => pool.run(UNTIL_FILE, file, file));
    const input = 'x'.repeat(20 * 1024 * 1024);
    const small = pool.run(ECHO, 'y', 'b');
    const large = Promise.allSettled(Array.from({ length: 8 }, () => pool.run(task('return "";'), input, 'a')));
    const last = pool.run(ECHO, 'z', 'c');
    for (const file of files) await writeFile(file, '');
    expect(await Promise.all([small, last, ...busy])).toEqual(['y', 'z', ...files]);
    const refused = (await large).filter((each) => each.status === 'rejected');
    expect(refused).toHaveLength(2);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(TransientError);
  });

  it('wait for their own tenant, not for that of another', async () => {
    const pool = open();
    const files = ['a1', 'a2', 'a3'].map((name) => path.join(folder, name));
    const ended: string[] = [];
    const slow = files.map((file) => pool.run(UNTIL_FILE, file, 'a').then(() => ended.push(path.basename(file))));
    expect(await pool.run(ECHO, 'y', 'b')).toBe('y');
    expect(ended).toEqual([]);
    // The first one is the last that may end.
    for (const file of files.reverse()) await writeFile(file, '');
    await Promise.all(slow);
    expect(ended).toEqual(['a1', 'a2', 'a3']);
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
