import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from './eventually.js';
import { helm } from './shell.js';
import { applySample, childrenOf, patchApplication, untilReady, type Setup } from './setup.js';

const NAME = 'multi-cluster';
const NAMESPACE = 'app';
/** A kill comes within this time after the change: before, during and after the roll-out of a small chart. */
const KILL_WITHIN_MS = 4_000;

/** What one member holds after a kill and the recovery from it. */
export interface ReleaseFacts {
  readonly member: string;
  /** Revisions made since the change, by whatever number of tries. */
  readonly newRevisions: number;
  readonly deployed: number;
  readonly pending: number;
  /** Value that the roll-out was to bring. */
  readonly region: string | undefined;
}

export interface KillOutcome {
  readonly kill: number;
  readonly killedAfterMs: number;
  readonly wanted: string;
  readonly children: number;
  readonly releases: readonly ReleaseFacts[];
}

interface Revision {
  revision: number;
  status: string;
}

async function historyOf(setup: Setup, member: number): Promise<Revision[]> {
  const cluster = setup.world.members[member];
  if (cluster === undefined) throw new Error(`the world has no member ${member}`);
  const text = await helm(setup.world, cluster, 'history', NAME, '-n', NAMESPACE, '-o', 'json');
  return JSON.parse(text) as Revision[];
}

async function newest(setup: Setup): Promise<number[]> {
  return Promise.all(
    [0, 1].map(async (member) => Math.max(...(await historyOf(setup, member)).map((each) => each.revision))),
  );
}

async function factsOf(setup: Setup, member: number, before: number): Promise<ReleaseFacts> {
  const cluster = setup.world.members[member];
  if (cluster === undefined) throw new Error(`the world has no member ${member}`);
  const history = await historyOf(setup, member);
  const values = await helm(setup.world, cluster, 'get', 'values', NAME, '-n', NAMESPACE, '-o', 'json');
  return {
    member: cluster.name,
    newRevisions: history.filter(({ revision }) => revision > before).length,
    deployed: history.filter(({ status }) => status === 'deployed').length,
    pending: history.filter(({ status }) => status.startsWith('pending')).length,
    region: (JSON.parse(values) as { clouds: { region?: string } }).clouds.region,
  };
}

async function change(setup: Setup, region: string): Promise<void> {
  const at = (entry: number): object => ({
    op: 'add',
    path: `/spec/fluxApp/spec/config/helmRelease/deploy/${entry}/values/clouds/region`,
    value: region,
  });
  await patchApplication(setup.world, NAME, [at(0), at(1)]);
}

async function oneKill(setup: Setup, kill: number, killedAfterMs: number): Promise<KillOutcome> {
  const before = await newest(setup);
  const wanted = `run-${kill}`;
  await change(setup, wanted);
  await delay(killedAfterMs);
  await setup.restart('kill');
  const application = await untilReady(setup, NAME);
  const children = await childrenOf(setup.world, application.metadata.uid);
  const releases = await Promise.all(before.map((revision, member) => factsOf(setup, member, revision)));
  return { kill, killedAfterMs, wanted, children: children.length, releases };
}

/**
 * Rolls a change out to two members `kills` times and kills the controller (-9) at a seeded moment of each roll-out.
 * The moments are the scenario itself, not a wait for something.
 */
export async function runKillScenario(setup: Setup, options: { seed: number; kills: number }): Promise<KillOutcome[]> {
  await applySample(setup.world, '04-multi-cluster');
  await untilReady(setup, NAME);
  const random = seededRandom(options.seed);
  const outcomes: KillOutcome[] = [];
  for (let kill = 0; kill < options.kills; kill += 1) {
    outcomes.push(await oneKill(setup, kill, Math.round(random() * KILL_WITHIN_MS)));
  }
  return outcomes;
}

/** What is wrong with an outcome, in words; empty when all is well. */
export function faultsOf(outcome: KillOutcome): string[] {
  const faults: string[] = [];
  if (outcome.children !== 2) faults.push(`${outcome.children} children instead of 2`);
  for (const { member, newRevisions, deployed, pending, region } of outcome.releases) {
    if (newRevisions > 2) faults.push(`${member}: ${newRevisions} new revisions, at most 2 allowed`);
    if (deployed !== 1) faults.push(`${member}: ${deployed} deployed revisions`);
    if (pending !== 0) faults.push(`${member}: ${pending} pending revisions`);
    if (region !== outcome.wanted) faults.push(`${member}: value ${region ?? 'none'} instead of ${outcome.wanted}`);
  }
  return faults.map((fault) => `kill ${outcome.kill} after ${outcome.killedAfterMs} ms: ${fault}`);
}
