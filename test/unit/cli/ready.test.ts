import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const READY = path.resolve('cli/ready.js');

let dir: string;

const put = (file: string, value: object): Promise<void> => writeFile(path.join(dir, file), JSON.stringify(value));

/** Returns the output of ready.js in this folder. */
async function ready(cwd = dir): Promise<string> {
  const { stderr } = await promisify(execFile)(process.execPath, [READY], { cwd });
  return stderr;
}

const touchLock = (): Promise<void> => utimes(path.join(dir, 'package-lock.json'), new Date(), new Date());

/** A package with one dependency, which needs no network. */
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-ready-'));
  await mkdir(path.join(dir, 'one'));
  await put('one/package.json', { name: 'one', version: '1.0.0' });
  const dependencies = { one: 'file:one' };
  await put('package.json', { name: 'of-test', version: '1.0.0', dependencies });
  const packages = {
    '': { name: 'of-test', version: '1.0.0', dependencies },
    'node_modules/one': { resolved: 'one', link: true },
    one: { version: '1.0.0' },
  };
  await put('package-lock.json', { name: 'of-test', version: '1.0.0', lockfileVersion: 3, requires: true, packages });
});

afterAll(() => rm(dir, { recursive: true }));

it('installs dependencies that are missing or older than the lock file, and nothing else', async () => {
  expect(await ready()).toBe('Installing dependencies (npm ci) ...\n');
  expect(await ready()).toBe('');
  await touchLock();
  expect(await ready()).toBe('Installing dependencies (npm ci) ...\n');
  expect(await ready()).toBe('');
});

it('leaves alone what belongs to another checkout', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'fairlead-ready-'));
  await symlink(path.join(dir, 'node_modules'), path.join(other, 'node_modules'));
  await symlink(path.join(dir, 'package-lock.json'), path.join(other, 'package-lock.json'));
  await touchLock();
  expect(await ready(other)).toBe('');
  await rm(other, { recursive: true });
});

it('says what failed, and what to do', async () => {
  await put('package-lock.json', { lockfileVersion: 3, packages: {} });
  await touchLock();
  await expect(ready()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /can only install.*npm ci failed\. Correct its cause above, and run the same command/s,
    ),
  });
});
