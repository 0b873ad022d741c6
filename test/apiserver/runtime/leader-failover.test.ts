import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Kube } from '#controllers/runtime/kube.js';
import { leaderFaults, runLeaderScenario } from '#bench/scenarios/leader.js';
import type { World } from '#sandbox/world.js';
import { freshNamespace, kubeFor, useWorld } from '#test/support/world.js';

describe('the leader of two replicas is killed, stopped and cut off while it writes', () => {
  let world: World;
  let kube: Kube;
  let dir: string;

  beforeAll(async () => {
    world = await useWorld();
    kube = await kubeFor(world.host);
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-leader-'));
  }, 180_000);

  afterAll(async () => {
    await kube.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('never gets a write accepted after the first one of the next leader, which comes in time', async () => {
    const namespace = await freshNamespace(kube, 'leader');
    const scenario = { cluster: world.host, kube, namespace, dir, seed: 5, runs: 5 };
    const result = await runLeaderScenario(scenario);
    expect(leaderFaults(result)).toEqual([]);
    expect(new Set(result.outcomes.map(({ fault }) => fault)).size).toBe(3);
    expect(result.outcomes).toHaveLength(5);
    // The leader really was writing when the fault came.
    expect(result.acceptedWrites).toBeGreaterThan(100);
  }, 600_000);
});
