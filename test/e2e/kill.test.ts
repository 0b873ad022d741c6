import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { faultsOf, runKillScenario } from '#bench/scenarios/kill.js';
import { setUp, type Setup } from '#bench/scenarios/setup.js';
import { useWorld } from '../support/world.js';

let setup: Setup;

beforeAll(async () => {
  setup = await setUp(await useWorld(), ['--concurrent', '8']);
}, 300_000);

afterAll(() => setup.tearDown(), 120_000);

it('killed (-9) during roll-outs, the controller reaches the desired state, without duplicates', async () => {
  const outcomes = await runKillScenario(setup, { seed: 4, kills: 3 });
  expect(outcomes.flatMap(faultsOf)).toEqual([]);
  expect(outcomes).toHaveLength(3);
}, 600_000);
