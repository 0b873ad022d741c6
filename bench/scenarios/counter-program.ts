import { configMapResource } from '#api/core.js';
import type { KubeObject, ObjectRef } from '#api/meta.js';
import type { Controller, SetupContext } from '#runtime/controller.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { Fence, fencedKube } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import { LeaderElector } from '#runtime/leader/leader-elector.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { ConflictError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';

/** As a pass that rolls a release out: many. */
const WRITES_PER_PASS = 100;

interface Counter extends KubeObject {
  data: { count: string };
}

/** What this program is started with, as JSON in its one argument. */
export interface CounterStart {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly identity: string;
  readonly times: { leaseDurationMs: number; renewDeadlineMs: number; retryPeriodMs: number };
}

/**
 * Adds one to every counter it sees, without end and as fast as it may. Its passes are long, try again after a
 * conflict, and are deaf to the signal that ends them: once the lease is lost only the fence stands between them and
 * the server.
 */
function counterController(context: SetupContext, identity: string): Controller {
  return {
    name: 'counter',
    concurrency: 1,
    watches: [
      {
        cache: context.cache(configMapResource),
        toKeys: ({ object }) => (isCounter(object) ? [keyOf(object.metadata)] : []),
      },
    ],
    reconcile: async (key) => {
      for (let writes = 0; writes < WRITES_PER_PASS; writes += 1) await countUp(context.kube, parseKey(key), identity);
      return { requeueAfterMs: 0 };
    },
  };
}

async function countUp(kube: Kube, ref: ObjectRef, fieldManager: string): Promise<void> {
  const counter = await kube.get<Counter>(configMapResource, ref);
  if (counter === undefined) throw new Error('the counter is gone');
  const counted = { ...counter, data: { count: String(Number(counter.data.count) + 1) } };
  try {
    await kube.update(configMapResource, counted, { fieldManager });
  } catch (error: unknown) {
    // Another process wrote: the next attempt starts from its value.
    if (!(error instanceof ConflictError)) throw error;
  }
}

function isCounter({ metadata }: KubeObject): boolean {
  return metadata.name === 'counter';
}

async function main({ kubeconfig, namespace, identity, times }: CounterStart): Promise<void> {
  const log = createLogger('info');
  const [kube, ofElection] = await Promise.all([
    kubeFromFile({ path: kubeconfig }),
    kubeFromFile({ path: kubeconfig }),
  ]);
  const election = new LeaderElector({
    kube: ofElection,
    log,
    leases: [{ namespace, name: 'counter' }],
    identity,
    times,
  });
  const fence = new Fence({ leader: election });
  const manager = new Manager({ kube: fencedKube(kube, fence), log, namespace, shutdownTimeoutMs: 2_000 });
  manager.setup((context) => counterController(context, identity), election.elected);
  const stopping = new AbortController();
  for (const event of ['SIGTERM', 'disconnect'] as const) process.on(event, () => stopping.abort());
  election.start();
  await manager.start(stopping.signal, election.lost);
  await fence.shut();
  const graceMs = times.leaseDurationMs - times.renewDeadlineMs;
  await election.stop(fence.unanswered(graceMs) ? graceMs : 0);
  await Promise.all([kube.close(), ofElection.close()]);
  if (election.lost.aborted) process.exitCode = 1;
  if (process.connected) process.disconnect();
}

const [start] = process.argv.slice(2);
if (start === undefined) throw new Error('usage: counter-program JSON');
// Written by leader.ts.
await main(JSON.parse(start) as CounterStart);
