import { beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { startController, type ControllerStart } from '#sandbox/controller-process.js';
import { LOOPBACK } from '#sandbox/world/ports.js';
import { fairlead } from '#bench/scenarios/shell.js';
import { supervise } from '#bench/scenarios/supervised.js';
import { eventually, useWorld } from '../../support/world.js';

let start: ControllerStart;
beforeAll(async () => {
  const { host, tools, dir } = await useWorld();
  await fairlead(host, 'install', '--crds-only');
  start = {
    kubeconfig: host.kubeconfig,
    helm: tools.helm,
    kustomize: tools.kustomize,
    dir: await mkdtemp(path.join(dir, 'supervised-')),
  };
});

it('starts a controller anew that crashed, and tells of it at the end', async () => {
  const supervised = await supervise(() => startController(start));
  const { pid } = supervised.current;
  process.kill(pid, 'SIGKILL');
  await eventually(() => expect(supervised.current.pid).not.toBe(pid));
  expect(supervised.current.hasExited()).toBe(false);
  await expect(supervised.stop()).rejects.toThrow('the controller crashed');
  expect(supervised.current.hasExited()).toBe(true);
});

it('watches no one that was ended on purpose', async () => {
  const supervised = await supervise(() => startController(start));
  await supervised.restart('kill');
  await supervised.stop();
  expect(supervised.current.hasExited()).toBe(true);
});

it('waits for a port that somebody else has, and calls that no crash', async () => {
  const holder = createServer().listen(0, LOOPBACK);
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const flags = ['--health-addr', `${LOOPBACK}:${port}`];
  const supervised = await supervise(() => startController({ ...start, flags }));
  const { pid } = supervised.current;
  await eventually(() => expect(supervised.current.pid).not.toBe(pid));
  holder.close();
  await supervised.stop();
});
