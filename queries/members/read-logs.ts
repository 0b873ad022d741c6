import { isPod, podResource } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import { createMembers } from '#engine/member/members.js';
import type { Kube } from '#runtime/client/kube.js';
import { objectPath, queryString } from '#lib/net/urls.js';
import type { DestinationView } from '../answers/application.js';
import { logParameters, type LogOptions, type LogSource, type PodsOf } from '../views/log-selection.js';
import { reachChild } from './child-member.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import type { Search } from './owned-objects.js';
import { readDestination } from './read-destination.js';

/** Pods of one destination, and what could not be read of it. */
export interface FoundPods extends PodsOf {
  readonly problem: string;
}

/** A program may say nothing for a day. */
const SILENCE_MS = 86_400_000;
/** Of a log that is not followed, all that there is comes at once. */
const ANSWER_MS = 60_000;

interface PodLimits extends ReadLimits {
  /** If there is one of this name, it is enough. */
  readonly pod?: string | undefined;
}

/** The pods of the releases of an Application, on those clusters that can be read. */
export async function readPods(
  host: Kube,
  application: Application,
  destinations: readonly DestinationView[],
  { pod: wanted, ...limits }: PodLimits = {},
): Promise<FoundPods[]> {
  const place = { host, namespace: application.metadata.namespace ?? '' };
  const read = (search: Search): Promise<FoundPods[]> =>
    eachDestination(
      place,
      destinations,
      async (destination, reader) => {
        const { objects, owned, problem } = await readDestination(destination, reader, search);
        const { cluster, child } = destination;
        const pods = [...objects, ...owned].filter((each) => isPod(each) && each.containers.length > 0);
        return { cluster, child, problem, pods };
      },
      limits,
    );
  if (wanted === undefined) return read({});
  const found = await read({ pod: wanted });
  const isThere = found.some(({ pods }) => pods.some(({ name }) => name === wanted));
  const isSilent = found.every(({ pods, problem }) => pods.length === 0 && problem !== '');
  // Who asks for one that there is not is told which there are, unless nobody can tell.
  return isThere || isSilent ? found : read({});
}

export interface LogReader {
  /** The host cluster, asked with the rights of the user. */
  readonly host: Kube;
  /** Namespace of the Application. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** What is read until the end closes the clients that were made for it. */
async function* thenClosed(chunks: AsyncIterable<Buffer>, close: () => Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } finally {
    await close();
  }
}

/** The output of a container, once its server begins to answer; to be read. Throws what the client throws. */
export async function openLog(
  source: LogSource,
  destination: DestinationView,
  { host, namespace, signal, ...options }: LogReader & LogOptions,
): Promise<AsyncIterable<Buffer>> {
  const members = createMembers({ host });
  try {
    const { member } = await reachChild(destination, { host, members, namespace, signal });
    const ref = { namespace: source.namespace, name: source.pod };
    const path = objectPath(podResource, ref, 'log') + queryString(logParameters(source, options));
    const silenceMs = options.follow === true ? SILENCE_MS : ANSWER_MS;
    return thenClosed(await member.kube.stream(path, { signal, silenceMs }), () => members.close());
  } catch (error: unknown) {
    await members.close();
    throw error;
  }
}

/** The output of a container, as it comes; ends with the signal. Throws what the client throws. */
export async function* readLog(...args: Parameters<typeof openLog>): AsyncGenerator<Buffer> {
  yield* await openLog(...args);
}
