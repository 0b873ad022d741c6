import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ensureTools } from '#sandbox/tools.js';

/** A key of OpenSSH. */
export interface SshKey {
  readonly privateKey: string;
  /** A line of `authorized_keys`. */
  readonly publicKey: string;
}

export interface SshServer {
  /** `ssh://git@HOST:PORT`. */
  readonly origin: string;
  /** As a Secret has it. */
  readonly knownHosts: string;
  makeKey(name: string, ...args: readonly string[]): Promise<SshKey>;
  /** Lets these keys in from now on, and no others. */
  letIn(...keys: readonly SshKey[]): Promise<void>;
  close(): Promise<void>;
}

/** Serves the bare repositories below `root` over SSH, by another SSH than OpenSSH's and the real git. */
export async function startSshServer(root: string): Promise<SshServer> {
  const { ssh } = await ensureTools(['ssh'], { log: (line) => process.stdout.write(`${line}\n`) });
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-ssh-'));
  const makeKey = async (name: string, ...args: readonly string[]): Promise<SshKey> => {
    const file = path.join(folder, name);
    execFileSync('ssh-keygen', ['-q', '-f', file, '-C', name, ...(args.includes('-N') ? [] : ['-N', '']), ...args]);
    return { privateKey: await readFile(file, 'utf8'), publicKey: await readFile(`${file}.pub`, 'utf8') };
  };
  const authorized = path.join(folder, 'authorized_keys');
  const letIn = (...keys: readonly SshKey[]): Promise<void> =>
    writeFile(authorized, keys.map(({ publicKey }) => publicKey).join(''));
  const { publicKey } = await makeKey('host', '-t', 'ed25519');
  await letIn();
  const child = spawn(ssh, ['127.0.0.1:0', path.join(folder, 'host'), authorized, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [address] = (await once(createInterface(child.stdout), 'line')) as [string]; // what it prints first
  const port = address.split(':').at(-1) ?? '';
  return {
    origin: `ssh://git@127.0.0.1:${port}`,
    knownHosts: `[127.0.0.1]:${port} ${publicKey}`,
    makeKey,
    letIn,
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
