import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Kube } from '#controllers/runtime/kube.js';
import { runChurnScenario } from '#bench/scenarios/churn.js';
import { freshNamespace, kubeFor, useWorld } from '#test/support/world.js';
import type { Cluster } from '#sandbox/world.js';

describe('a controller that follows two thousand objects which never rest', () => {
  let host: Cluster;
  let kube: Kube;

  beforeAll(async () => {
    host = (await useWorld()).host;
    kube = await kubeFor(host);
  }, 180_000);

  afterAll(() => kube.close());

  it('misses no change, and holds no more memory, sockets and timers after two minutes than before', async () => {
    const namespace = await freshNamespace(kube, 'churn');
    const { kubeconfig } = host;
    const outcome = await runChurnScenario({ kube, kubeconfig, namespace, objects: 2_000, seconds: 120, seed: 4 });
    expect({ growth: outcome.growth, wrongCopies: outcome.wrongCopies }).toEqual({ growth: [], wrongCopies: [] });
    expect(outcome.changes).toBeGreaterThan(3_000);
  }, 600_000);
});
