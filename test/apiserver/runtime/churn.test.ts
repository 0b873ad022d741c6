import { describe, expect, it } from '@jest/globals';
import { runChurnScenario } from '#bench/scenarios/churn.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace, useWorld } from '../../support/world.js';

describe('a controller that follows two thousand objects which never rest', () => {
  const kube = useHost();

  it('misses no change, and holds no more memory, sockets and timers after a minute than before', async () => {
    const namespace = await freshNamespace(kube, 'churn');
    const { kubeconfig } = (await useWorld()).host;
    const outcome = await runChurnScenario({ kube, kubeconfig, namespace, objects: 2_000, seconds: 60, seed: 4 });
    expect({ growth: outcome.growth, wrongCopies: outcome.wrongCopies }).toEqual({ growth: [], wrongCopies: [] });
    expect(outcome.changes).toBeGreaterThan(3_000);
  });
});
