import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { World } from '#sandbox/world.js';
import { useWorld } from '../../support/world.js';

const BEFORE = { kubeconfig: process.env['KUBECONFIG'], home: process.env['HOME'] };

describe('the kubeconfig of a user', () => {
  let world: World;

  beforeAll(async () => {
    world = await useWorld();
  });

  afterEach(() => {
    process.env['HOME'] = BEFORE.home;
    if (BEFORE.kubeconfig === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = BEFORE.kubeconfig;
  });

  it('is the first of several files, as for kubectl', async () => {
    process.env['KUBECONFIG'] = [world.host, ...world.members].map(({ kubeconfig }) => kubeconfig).join(':');
    const kube = await kubeFromFile();
    expect(kube.server).toBe(world.host.server);
    expect(await kube.read('/readyz')).toBe('ok');
    await kube.close();
  });

  it('is asked for when there is none', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'fairlead-home-'));
    process.env['HOME'] = home;
    delete process.env['KUBECONFIG'];
    await expect(kubeFromFile()).rejects.toThrow('no kubeconfig was found: set --kubeconfig FILE');
    await rm(home, { recursive: true });
  });

  it('is named when it is none', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-home-'));
    const file = path.join(folder, 'config');
    await writeFile(file, 'just: text\n');
    await expect(kubeFromFile({ path: file })).rejects.toThrow(file);
    await rm(folder, { recursive: true });
  });
});
