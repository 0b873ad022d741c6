import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pLimit from 'p-limit';
import { namespaceResource } from '#api/core.js';
import { freePort } from '#sandbox/world/ports.js';
import { startPair, type Pair } from '../pair.js';
import type { Case } from './case.js';
import { CASES } from './cases.js';
import { startOwn } from './own-engine.js';
import { createSecrets, seed } from './seed.js';
import { startServers, type Servers } from './servers.js';
import { NAMESPACE, tell, type Seen } from './story.js';

/**
 * The same sources by Flux's source-controller on one cluster and by the embedded engine on the other, from the same
 * servers: revisions, conditions, what else the status says, and the files of artifacts must be equal after every step.
 */
const ONLY = process.env['FAIRLEAD_TEST_CASE'];
const CHOSEN = CASES.filter(({ name }) => ONLY === undefined || ONLY.split(',').includes(name));
const PARALLEL = 6;
const SUITE_LIMIT_MS = 3_600_000;

interface Outcome {
  readonly ours: Record<string, Seen>;
  readonly theirs: Record<string, Seen>;
}

let folder: string;
let pair: Pair;
let servers: Servers;
const outcomes = new Map<string, Record<string, Outcome> | Error>();

async function flags(scratch: string): Promise<string[]> {
  const address = `127.0.0.1:${await freePort()}`;
  const storage = await mkdtemp(path.join(scratch, 'storage-'));
  return [`--storage-path=${storage}`, `--storage-addr=${address}`, `--storage-adv-addr=${address}`];
}

/** Each step on both clusters; what happens on the servers happens once. */
async function tellOnBoth(subject: Case): Promise<Record<string, Outcome>> {
  const outcome: Record<string, Outcome> = {};
  for (const [index, { does, happens }] of subject.steps.entries()) {
    await happens?.(servers);
    const { at } = servers;
    const [ours, theirs] = await Promise.all([
      tell({ side: pair.ours, by: 'us', at }, subject, index),
      tell({ side: pair.theirs, by: 'flux', at }, subject, index),
    ]);
    outcome[does] = { ours, theirs };
  }
  return outcome;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-peers-sources-'));
  pair = await startPair({ controller: 'source-controller', watched: [], flags, startOwn });
  servers = await startServers(pair.world, folder);
  await seed(servers, pair.world, folder);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  for (const { kube } of [pair.ours, pair.theirs]) {
    await kube.create(namespaceResource, namespace);
    await createSecrets(kube, NAMESPACE, servers);
  }
  const limit = pLimit(PARALLEL);
  const one = async (subject: Case): Promise<void> => {
    const outcome = await tellOnBoth(subject).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    outcomes.set(subject.name, outcome);
  };
  await Promise.all(CHOSEN.map((subject) => limit(() => one(subject))));
}, SUITE_LIMIT_MS);

afterAll(async () => {
  // Undefined if they could not be started.
  await (pair as Pair | undefined)?.close();
  await (servers as Servers | undefined)?.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

function outcomeOf(name: string): Record<string, Outcome> {
  const outcome = outcomes.get(name);
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error(`${name} was not told`);
  return outcome;
}

function side(outcome: Record<string, Outcome>, which: keyof Outcome): object {
  return Object.fromEntries(Object.entries(outcome).map(([step, both]) => [step, both[which]]));
}

test.each(CHOSEN)('$name', ({ name, differs }) => {
  const outcome = outcomeOf(name);
  const [ours, theirs] = [side(outcome, 'ours'), side(outcome, 'theirs')];
  if (differs === undefined) expect(ours).toEqual(theirs);
  else expect(ours).not.toEqual(theirs);
  expect(JSON.stringify(outcome)).not.toContain('"ended":"otherwise"');
});
