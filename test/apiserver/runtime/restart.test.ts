import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMapResource } from '#api/core.js';
import type { Kube, WatchEvent } from '#runtime/client/kube.js';
import { runWatchScenario } from '#bench/scenarios/watch.js';
import { startLoneCluster, type LoneCluster } from '../../support/lone-cluster.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { eventually, kubeFor } from '../../support/world.js';

/** What a server says first to a watch that begins at `resourceVersion`. */
async function firstEvent(kube: Kube, resourceVersion: string): Promise<WatchEvent<never> | undefined> {
  const query = { namespace: 'default', resourceVersion, timeoutSeconds: 60 };
  for await (const event of kube.watch<never>(configMapResource, query)) return event;
  return undefined;
}

describe('a manager whose API server is killed and started again', () => {
  let cluster: LoneCluster;
  let direct: Kube;
  let proxy: FaultProxy;

  beforeAll(async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-lone-'));
    cluster = await startLoneCluster(dir, selfSignedCertificate('nobody', 'nobodies').cert);
    direct = await kubeFor(cluster);
    proxy = await startFaultProxy(cluster);
    await eventually(() => direct.read('/api/v1/namespaces/default'), { timeoutMs: 300_000 });
  });

  afterAll(async () => {
    await proxy.close();
    await direct.close();
    await cluster.stop();
  });

  it('lists again when the server no longer has its version, and loses nothing', async () => {
    const { resourceVersion } = await direct.list(configMapResource, { namespace: 'default' });
    const fault = { restart: () => cluster.restart() };
    const outcome = await runWatchScenario({ proxy, direct, namespace: 'default', seed: 410, changes: 200, fault });
    expect(outcome).toMatchObject({ lists: 2, stalePasses: [], cacheEqualsList: true });
    expect(outcome.changedKeys).toBeGreaterThan(30);
    // The refusal was the server's own: it says the same to anybody who asks for such a version.
    expect(await firstEvent(direct, resourceVersion)).toMatchObject({ type: 'ERROR', code: 410 });
  });
});
