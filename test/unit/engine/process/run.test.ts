import { expect, test } from '@jest/globals';
import { run } from '#engine/process/run.js';

const node = (script: string, options = {}) => run(process.execPath, ['-e', script], { timeoutMs: 20_000, ...options });

test('code, stdout and stderr of a program; stdin reaches it', async () => {
  const script =
    'process.stdin.on("data", d => process.stdout.write(d)).on("end", () => { console.error("e"); process.exitCode = 3 })';
  expect(await node(script, { stdin: 'in' })).toEqual({ code: 3, stdout: 'in', stderr: 'e\n' });
});

test('only allowed variables reach it', async () => {
  process.env['A_SECRET'] = 'x';
  const { stdout } = await node('console.log(process.env.A_SECRET, process.env.PATH !== undefined, process.env.MINE)', {
    env: { MINE: 'm' },
  });
  expect(stdout).toBe('undefined true m\n');
});

test('the time limit ends what it started, too', async () => {
  const script = 'require("child_process").spawn("sleep", ["600"], {stdio: "inherit"}); setTimeout(() => {}, 600000)';
  await expect(node(script, { timeoutMs: 1_000 })).rejects.toMatchObject({ reason: 'ProcessTimeout' });
});

test('a child that leaves a process behind does not hold us', async () => {
  const script = 'require("child_process").spawn("sleep", ["600"], {stdio: "inherit"}).unref()';
  expect(await node(script)).toMatchObject({ code: 0 });
});

test('too much output, a missing program and a cancellation are distinguished', async () => {
  const flood = 'setInterval(() => process.stdout.write("x".repeat(10000)), 1)';
  await expect(node(flood, { maxOutputBytes: 50_000 })).rejects.toMatchObject({ reason: 'OutputTooLarge' });
  await expect(run('/does/not/exist', [], { timeoutMs: 1_000 })).rejects.toMatchObject({ reason: 'ProcessFailed' });
  const signal = AbortSignal.timeout(300);
  await expect(node('setInterval(() => {}, 1000)', { signal })).rejects.toMatchObject({ reason: 'Cancelled' });
});

test('a program that takes too much memory is ended', async () => {
  const hungry = 'const all = []; setInterval(() => all.push(Buffer.alloc(32 * 1024 * 1024, 1)), 5)';
  const limit = { maxMemoryBytes: 256 * 1024 * 1024 };
  await expect(node(hungry, limit)).rejects.toMatchObject({ reason: 'MemoryExceeded' });
});

test('the end of a long stderr is whole lines, so that no half of a secret is left of one', async () => {
  const script = `process.stderr.write('s3cret\\n'.repeat(100_000)); process.exitCode = 1`;
  const { stderr } = await node(script);
  expect(stderr.length).toBeGreaterThan(200_000);
  expect(stderr.replaceAll('s3cret\n', '')).toBe('');
  expect((await node(`process.stderr.write('x'.repeat(300_000)); process.exitCode = 1`)).stderr).toBe('');
});
