import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sshAccess } from '#controllers/source/git/credentials.js';

const KEY = { identity: 'KEY', known_hosts: 'host ssh-ed25519 AAAA' };
let folder: string;

beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), "fairlead-ssh'key-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

function access(data: Readonly<Record<string, string>>): ReturnType<typeof sshAccess> {
  return sshAccess(new Map(Object.entries(data)), folder);
}

/** The words of a command line, as a shell reads them. */
function words(command: string): string[] {
  const [, ...rest] = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).split('\n');
  return rest;
}

test('only the key and the hosts of the Secret count, and nothing asks', async () => {
  const login = await access(KEY);
  const given = words(login?.env['GIT_SSH_COMMAND'] ?? '');
  const key = path.join(folder, 'identity');
  expect(given).toEqual(expect.arrayContaining(['-F', '/dev/null', '-i', key, 'BatchMode=yes', 'IdentitiesOnly=yes']));
  expect(given).toContain('StrictHostKeyChecking=yes');
  expect(given).toContain(`UserKnownHostsFile=${path.join(folder, 'known_hosts')}`);
  expect(await readFile(key, 'utf8')).toBe('KEY\n');
  expect((await stat(key)).mode & 0o777).toBe(0o600);
  expect(login?.env).not.toHaveProperty('SSH_ASKPASS');
});

test('the passphrase of a key is handed to ssh, and is no argument', async () => {
  const passphrase = `pa'ss "$HOME" \\n %s`;
  const login = await access({ ...KEY, password: passphrase });
  const env = login?.env ?? {};
  expect(words(env['GIT_SSH_COMMAND'] ?? '')).toContain('BatchMode=no');
  expect(env['GIT_SSH_COMMAND']).not.toContain(passphrase);
  expect(login?.secrets).toEqual([passphrase]);
  expect(execFileSync(env['SSH_ASKPASS'] ?? '', { env, encoding: 'utf8' })).toBe(`${passphrase}\n`);
});

test.each([[{ identity: 'KEY' }], [{ known_hosts: 'host' }], [{ password: 'x' }]])('%j is no access', async (data) =>
  expect(await access(data)).toBeUndefined(),
);
