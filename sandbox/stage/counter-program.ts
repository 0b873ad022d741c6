import { configMapResource } from '../../api/core.js';
import type { KubeObject } from '../../api/meta.js';
import type { Controller, SetupContext } from '../../controllers/runtime/controller.js';
import { kubeFromFile } from '../../controllers/runtime/credentials.js';
import { Fence, fencedKube } from '../../controllers/runtime/fence.js';
import { Election } from '../../controllers/runtime/leader.js';
import { createLogger } from '../../controllers/runtime/log.js';
import { Manager } from '../../controllers/runtime/manager.js';
import { keyOf, parseKey } from '../../controllers/runtime/pure/keys.js';
import { linkSignals } from '../../controllers/runtime/signals.js';

interface Counter extends KubeObject {
  data: { count: string };
}

/** What the story tells this program to be, as JSON in its one argument. */
export interface CounterStart {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly identity: string;
  readonly times: { leaseDurationMs: number; renewDeadlineMs: number; retryPeriodMs: number };
}

/** Adds one to every counter it sees, without end and as fast as it may. */
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
    reconcile: async (key, { signal }) => {
      const counter = await context.kube.get<Counter>(configMapResource, parseKey(key), { signal });
      if (counter === undefined) return {};
      const counted = { ...counter, data: { count: String(Number(counter.data.count) + 1) } };
      await context.kube.update(configMapResource, counted, { fieldManager: identity, signal });
      return { requeueAfterMs: 0 };
    },
  };
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
  const election = new Election({ kube: ofElection, log, leases: [{ namespace, name: 'counter' }], identity, times });
  const fence = new Fence({ leader: election });
  const manager = new Manager({ kube: fencedKube(kube, fence), log, namespace, shutdownTimeoutMs: 2_000 });
  manager.setup((context) => counterController(context, identity), election.elected);
  const stopping = new AbortController();
  for (const event of ['SIGTERM', 'disconnect'] as const) process.on(event, () => stopping.abort());
  election.start();
  await manager.start(linkSignals([stopping.signal, election.lost]).signal);
  await fence.shut();
  const graceMs = times.leaseDurationMs - times.renewDeadlineMs;
  await election.stop(fence.unanswered(graceMs) ? graceMs : 0);
  await Promise.all([kube.close(), ofElection.close()]);
  if (election.lost.aborted) process.exitCode = 1;
  if (process.connected) process.disconnect();
}

const [start] = process.argv.slice(2);
if (start === undefined) throw new Error('usage: counter-program JSON');
// Written by leader-story.ts.
await main(JSON.parse(start) as CounterStart);
