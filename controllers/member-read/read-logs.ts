import { isPod, podResource } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import { createMembers } from '../engine/member/members.js';
import type { DestinationView } from '../read-model/application-view.js';
import { logParameters, type LogOptions, type LogSource, type PodsOf } from '../read-model/log-selection.js';
import type { Kube } from '../runtime/kube.js';
import { objectPath, queryString } from '../runtime/pure/urls.js';
import { reachChild } from './child-member.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import { readDestination } from './read-destination.js';

/** Pods of one destination, and what could not be read of it. */
export interface FoundPods extends PodsOf {
  readonly problem: string;
}

/** A program may say nothing for a day. */
const SILENCE_MS = 86_400_000;
/** Of a log that is not followed, all that there is comes at once. */
const ANSWER_MS = 60_000;

/** The pods of the releases of an Application, on those clusters that can be read. */
export function readPods(
  host: Kube,
  application: Application,
  destinations: readonly DestinationView[],
  limits: ReadLimits = {},
): Promise<FoundPods[]> {
  const place = { host, namespace: application.metadata.namespace ?? '' };
  return eachDestination(
    place,
    destinations,
    async (destination, reader) => {
      const { objects, owned, problem } = await readDestination(destination, reader);
      const { cluster, child } = destination;
      const pods = [...objects, ...owned].filter((each) => isPod(each) && each.containers.length > 0);
      return { cluster, child, problem, pods };
    },
    limits,
  );
}

export interface LogReader {
  /** The host cluster, asked with the rights of the user. */
  readonly host: Kube;
  /** Namespace of the Application. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The output of a container, as it comes; ends with the signal. Throws what the client throws. */
export async function* readLog(
  source: LogSource,
  destination: DestinationView,
  { host, namespace, signal, ...options }: LogReader & LogOptions,
): AsyncGenerator<Buffer> {
  const members = createMembers({ host });
  try {
    const { member } = await reachChild(destination, { host, members, namespace, signal });
    const ref = { namespace: source.namespace, name: source.pod };
    const path = objectPath(podResource, ref, 'log') + queryString(logParameters(source, options));
    const silenceMs = options.follow === true ? SILENCE_MS : ANSWER_MS;
    yield* await member.kube.stream(path, { signal, silenceMs });
  } finally {
    await members.close();
  }
}
