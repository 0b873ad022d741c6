import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installCrds } from '#cli/install/crds.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import type { World } from '#sandbox/world.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
/** What a busy machine may need; a controller that hangs needs more. */
const LIMIT_MS = 600_000;

interface Ended {
  readonly code: unknown;
  readonly stderr: string;
}

describe('fairlead controller with settings that cannot work', () => {
  let world: World;
  let dir: string;
  let namespace: string;
  let taken: Server;
  let takenAddress: string;

  beforeAll(async () => {
    world = await useWorld();
    const kube = await kubeFor(world.host);
    await installCrds(kube, { takeOver: false });
    namespace = await freshNamespace(kube, 'start');
    await kube.close();
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-start-'));
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    // A TCP server's address is never a string.
    takenAddress = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    taken.close();
    await rm(dir, { recursive: true, force: true });
  });

  function argumentsWith(flags: readonly string[]): string[] {
    const own = [`--kubeconfig=${world.host.kubeconfig}`, `--namespace=${namespace}`, '--engine=embedded'];
    const local = [`--helm-path=${world.tools.helm}`, `--storage-path=${dir}`];
    return [
      PROGRAM,
      'controller',
      ...own,
      ...local,
      '--health-addr=127.0.0.1:0',
      '--storage-addr=127.0.0.1:0',
      ...flags,
    ];
  }

  function ended(flags: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        argumentsWith(flags),
        { timeout: LIMIT_MS, killSignal: 'SIGKILL', env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } },
        (error, _, stderr) => resolve({ code: error?.code, stderr }),
      );
    });
  }

  it.each([
    ['a health port that is taken', () => `--health-addr=${takenAddress}`, 'cannot listen on 127.0.0.1:'],
    ['a health address of another machine', () => '--health-addr=192.0.2.1:8080', 'cannot listen on 192.0.2.1:8080'],
    ['a storage port that is taken', () => `--storage-addr=${takenAddress}`, 'cannot listen on 127.0.0.1:'],
    ['a webhook port that is taken', () => `--webhook-addr=${takenAddress}`, 'cannot listen on 127.0.0.1:'],
    ['an address without a port', () => '--storage-addr=localhost', '"localhost" is not host:port'],
    ['a folder that cannot be made', () => '--storage-path=/proc/nope', 'cannot write into /proc/nope'],
    ['a helm that is not there', () => '--helm-path=/nope', 'cannot run /nope'],
    ['a helm that is none', () => `--helm-path=${process.execPath}`, 'is not helm 4'],
    ['a kustomize that is not there', () => '--kustomize-path=/nope', 'cannot run /nope'],
    ['a trust root that is not there', () => '--sigstore-trusted-root=/nope', 'no such file'],
    ['a trust root that is none', () => '--sigstore-trusted-root=package.json', 'is not a trusted_root.json'],
    ['a git that is not there', () => '--git-path=/nope', 'cannot run /nope'],
    ['a hot loop', () => '--requeue-dependency=0s', '"0s" is not a duration from 1s to 1h'],
  ])('ends with 1 and one line for %s', async (_, flagOf, message) => {
    const flag = flagOf();
    const { code, stderr } = await ended([flag]);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(message)]);
    expect(stderr).toContain(`fairlead: ${flag.slice(0, flag.indexOf('='))}: `);
  });

  it('names all that is wrong at once, and the way out', async () => {
    const { code, stderr } = await ended([
      '--helm-path=/nope',
      '--storage-path=/proc/nope',
      `--storage-addr=${takenAddress}`,
    ]);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^fairlead: --storage-path: .*; set it to a folder of your own$/),
      expect.stringMatching(/^--helm-path: .*; install helm 4, or set --helm-path to where it is$/),
      expect.stringMatching(/^--storage-addr: .*; set another one, with port 0 for a free port$/),
    ]);
  });

  it('accepts webhooks at the address of the flag', async () => {
    const child = spawn(process.execPath, argumentsWith(['--webhook-addr=127.0.0.1:0']), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const gone = once(child, 'exit');
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    await eventually(
      async () => {
        const port = /"webhooks":\{[^}]*"port":(\d+)/.exec(log)?.[1] ?? '0';
        const response = await fetch(`http://127.0.0.1:${port}/hook/${'a'.repeat(64)}`, { method: 'POST' });
        // As soon as the caches are synced: until then it is 503.
        expect([response.status, await response.text()]).toEqual([404, 'not found\n']);
      },
      { timeoutMs: LIMIT_MS },
    );
    child.kill('SIGTERM');
    await gone;
    expect(child.exitCode).toBe(0);
  });

  it('ends on SIGTERM while it waits for an API server that does not answer', async () => {
    const kubeconfig = path.join(dir, 'silent.kubeconfig');
    const cluster = { name: 'c', cluster: { server: `https://${takenAddress}` } };
    const context = { name: 'c', context: { cluster: 'c', user: '' } };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        clusters: [cluster],
        contexts: [context],
      }),
    );
    const connected = once(taken, 'connection');
    const child = spawn(process.execPath, argumentsWith([`--kubeconfig=${kubeconfig}`]), { stdio: 'ignore' });
    const gone = once(child, 'exit');
    await connected;
    child.kill('SIGTERM');
    await eventually(() => expect(child.exitCode).toBe(0), { timeoutMs: 15_000 });
    await gone;
  });
});
