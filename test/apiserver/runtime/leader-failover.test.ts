import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { leaderFaults, runLeaderScenario } from '#bench/scenarios/leader.js';
import type { World } from '#sandbox/world.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace, useWorld } from '../../support/world.js';

describe('the leader of two replicas is killed, stopped and cut off while it writes', () => {
  let world: World;
  const kube = useHost();
  let dir: string;

  beforeAll(async () => {
    world = await useWorld();
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-leader-'));
  });

  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('never gets a write accepted after the first one of the next leader, which comes in time', async () => {
    const namespace = await freshNamespace(kube, 'leader');
    const scenario = { cluster: world.host, kube, namespace, dir, seed: 5, runs: 3 };
    const result = await runLeaderScenario(scenario);
    expect(leaderFaults(result)).toEqual([]);
    expect(new Set(result.outcomes.map(({ fault }) => fault)).size).toBe(3);
    expect(result.outcomes).toHaveLength(3);
    // The leader really was writing when the fault came.
    expect(result.acceptedWrites).toBeGreaterThan(60);
  });
});
