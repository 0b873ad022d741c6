import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { installCrds } from '#cli/install/crds.js';
import { PACKAGE_ROOT } from '#controllers/runtime/package-root.js';
import type { World } from '#sandbox/world.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '#test/support/world.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');

interface Running {
  readonly child: ChildProcess;
  readonly api: string;
  readonly health: string;
  readonly ended: Promise<unknown[]>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function codeOf(url: string): Promise<number> {
  return (await fetch(url)).status;
}

describe('the process of `fairlead console`', () => {
  let world: World;
  let namespace: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    world = await useWorld();
    const kube = await kubeFor(world.host);
    await installCrds(kube, { takeOver: false });
    namespace = await freshNamespace(kube, 'console-process');
    await kube.close();
  }, 180_000);

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(): Promise<Running> {
    const [api, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const flags = [`--kubeconfig=${world.host.kubeconfig}`, `--namespace=${namespace}`];
    const addresses = [`--addr=${api}`, `--health-addr=${health}`];
    const child = spawn(process.execPath, [PROGRAM, 'console', ...flags, ...addresses], { stdio: 'ignore' });
    children.push(child);
    const running = { child, api: `http://${api}`, health: `http://${health}`, ended: once(child, 'exit') };
    await eventually(async () => expect(await codeOf(`${running.health}/readyz`)).toBe(200), { timeoutMs: 60_000 });
    return running;
  }

  it('is healthy and ready, knows nobody without a credential, and ends with 0 when it is asked to', async () => {
    const { child, api, health, ended } = await start();
    expect(await codeOf(`${health}/healthz`)).toBe(200);
    expect([await codeOf(`${api}/api/v1/applications`), await codeOf(`${api}/openapi.json`)]).toEqual([401, 401]);
    const metrics = await (await fetch(`${health}/metrics`)).text();
    expect(metrics).toContain('fairlead_console_request_seconds');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }, 120_000);

  it('may run twice, and one goes on when the other one ends', async () => {
    const [one, other] = [await start(), await start()];
    one.child.kill('SIGTERM');
    expect(await one.ended).toEqual([0, null]);
    expect(await codeOf(`${other.health}/readyz`)).toBe(200);
    expect(await codeOf(`${other.api}/api/v1/applications`)).toBe(401);
  }, 120_000);
});
