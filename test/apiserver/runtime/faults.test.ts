import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Kube } from '#runtime/client/kube.js';
import { runWatchScenario } from '#bench/scenarios/watch.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { freshNamespace, kubeFor, useWorld } from '../../support/world.js';

describe('a manager behind a bad line to a real API server', () => {
  let direct: Kube;
  let proxy: FaultProxy;

  beforeAll(async () => {
    const { host } = await useWorld();
    direct = await kubeFor(host);
    proxy = await startFaultProxy(host);
  });

  afterAll(async () => {
    await proxy.close();
    await direct.close();
  });

  it('loses nothing when its watch is cut at 50 random bytes', async () => {
    const namespace = await freshNamespace(direct, 'cuts');
    const outcome = await runWatchScenario({ proxy, direct, namespace, seed: 4, changes: 500, fault: { cuts: 50 } });
    expect(outcome).toMatchObject({ cuts: 50, lists: 1, stalePasses: [], cacheEqualsList: true });
    expect(outcome.watches).toBeGreaterThan(50);
  });
});
