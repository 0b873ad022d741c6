import type { Logger } from 'pino';
import type { Condition, KubeObject, ResourceType } from '#api/meta.js';
import { installCrds } from '#cli/install/crds.js';
import type { Controller, SetupContext } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { getCondition } from '#lib/kube/conditions.js';
import { defined } from '#lib/plain.js';
import type { Cluster } from '#sandbox/world.js';
import { builtOffload } from './offload.js';
import { PassCounter } from './passes.js';
import { SeenVersions } from './seen-versions.js';
import { eventually, freshNamespace, kubeFor } from './world.js';

/** What every kind of ours, and of Flux, says of itself. */
export interface Conditioned extends KubeObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: Condition[] };
}

export function conditionOf(object: Pick<Conditioned, 'status'> | undefined, type: string): Condition | undefined {
  return getCondition(object?.status?.conditions, type);
}

/** Throws unless the object is Ready as it is now. */
export function expectReady(object: Conditioned): void {
  const isReady = conditionOf(object, 'Ready')?.status === 'True';
  if (isReady && object.status?.observedGeneration === object.metadata.generation) return;
  throw new Error(`not ready: ${JSON.stringify(object.status, null, 1)}`);
}

/** A cluster with the CRDs of the product, and a namespace of the test's own in it. Close the client after use. */
export async function prepareCluster(cluster: Cluster, prefix: string): Promise<{ kube: Kube; namespace: string }> {
  const kube = await kubeFor(cluster);
  await installCrds(kube, { takeOver: false });
  return { kube, namespace: await freshNamespace(kube, prefix) };
}

/** Objects of one kind in the namespace of a test. */
export interface ObjectReader<T> {
  /** Throws if there is none of this name. */
  readonly read: (name: string) => Promise<T>;
  /** Waits until `check` passes on the object as it is then. */
  readonly until: (name: string, check: (object: T) => void, timeoutMs?: number) => Promise<T>;
}

export function readerOf<T extends KubeObject>(kube: Kube, type: ResourceType, namespace: string): ObjectReader<T> {
  const read = async (name: string): Promise<T> => {
    const object = await kube.get<T>(type, { name, namespace });
    if (object === undefined) throw new Error(`${type.kind} ${namespace}/${name} does not exist`);
    return object;
  };
  const until = (name: string, check: (object: T) => void, timeoutMs?: number): Promise<T> =>
    eventually(async () => {
      const object = await read(name);
      check(object);
      return object;
    }, defined({ timeoutMs }));
  return { read, until };
}

/** A watch brings what is written within milliseconds. */
const SEEN_POLL_MS = 10;
const EVENTS_MS = 60_000;

type Build = (context: SetupContext) => Controller | readonly Controller[];

export interface ControllerOptions {
  readonly kube: Kube;
  /** What the controllers see; default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Default: what FAIRLEAD_TEST_LOG says, else errors. */
  readonly log?: Logger | undefined;
  /** Kinds that `untilSeen` may be asked of. */
  readonly follow?: readonly ResourceType[];
}

/** Controllers that run in this process. */
export interface RunningControllers {
  readonly passes: PassCounter;
  /** Waits until their caches have the object as it was read or written here: each kind comes by a watch of its own. */
  readonly untilSeen: (object: KubeObject) => Promise<void>;
  /** Waits until what they recorded so far is written. */
  readonly eventsWritten: () => Promise<void>;
  /** As Prometheus reads them. */
  readonly metrics: () => Promise<string>;
  /** Ends them as a shutdown does. */
  readonly stop: () => Promise<void>;
}

export function runControllers(options: ControllerOptions, builds: readonly Build[]): RunningControllers {
  const { kube, namespace, log = createLogger(process.env['FAIRLEAD_TEST_LOG'] ?? 'error'), follow = [] } = options;
  const manager = new Manager({ kube, log, namespace, offload: builtOffload() });
  const passes = new PassCounter();
  for (const build of builds) manager.setup((context) => [build(context)].flat().map(passes.counted));
  const seen = new SeenVersions();
  manager.setup(seen.follow(follow));
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal, stopping.signal);
  const stop = (): Promise<void> => {
    stopping.abort();
    return ended;
  };
  const untilSeen = (object: KubeObject): Promise<void> =>
    eventually(
      () => {
        if (stopping.signal.aborted || seen.include(object)) return;
        throw new Error(`${object.kind} ${object.metadata.name} is not seen in this version yet`);
      },
      { intervalMs: SEEN_POLL_MS },
    );
  const metrics = (): Promise<string> => manager.metrics.registry.metrics();
  return { passes, untilSeen, metrics, eventsWritten: () => manager.events.flush(EVENTS_MS), stop };
}
