import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { stopWorldIn } from '#sandbox/daemon-world.js';
import { runCommand } from '#sandbox/command.js';

const START_MS = 600_000;
const MAIN = path.resolve('dist/cli/main.js');

let folder: string;
let dir: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-command-'));
  dir = path.join(folder, "it's here");
});

afterEach(async () => {
  await stopWorldIn(dir);
  await rm(folder, { recursive: true, force: true });
});

function sandbox(...args: string[]): Promise<string> {
  return runCommand(process.execPath, [MAIN, 'sandbox', ...args, '--dir', dir]);
}

test(
  'a detached sandbox is up, is found by its shell lines, and is down',
  async () => {
    expect(await sandbox('up', '--members', '1', '--detach')).toContain(`${dir}/member-1.kubeconfig`);
    expect(await sandbox('up')).toMatch(/^A sandbox already runs in .* \(process \d+\)\./);
    const script = `${await sandbox('env')}\nkubectl --context member-1 get nodes --output name; helm version --short`;
    expect(await runCommand('/bin/sh', ['-c', script])).toMatch(/^node\/member-1-node\nv4\./);
    expect(await sandbox('down')).toBe(`The sandbox in ${dir} was removed.\n`);
    expect(existsSync(dir)).toBe(false);
    expect(await sandbox('down')).toBe(`There is no sandbox in ${dir}.\n`);
  },
  START_MS,
);

test(
  'a sandbox in the foreground cleans up after Ctrl-C',
  async () => {
    const child = spawn(process.execPath, [MAIN, 'sandbox', 'up', '--members', '0', '--dir', dir]);
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      text += String(chunk);
      if (text.includes('Running until Ctrl-C.') && !child.killed) child.kill('SIGINT');
    }
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(text.trimEnd().endsWith('The sandbox was removed.')).toBe(true);
    expect(existsSync(dir)).toBe(false);
  },
  START_MS,
);

test('env without a sandbox says how to start one', async () => {
  await expect(sandbox('env')).rejects.toThrow(/no sandbox is running in .*: start one with .*sandbox up --dir /);
});

test('a number of members that makes no sense is refused', async () => {
  await expect(sandbox('up', '--members', 'two')).rejects.toThrow('must be a number from 0 to 20');
});
