import pLimit from 'p-limit';
import { createMembers } from '#engine/member/members.js';
import type { Kube } from '#runtime/client/kube.js';
import { createOffload, type Offload } from '#runtime/isolation/offload.js';
import { linkSignals } from '#runtime/process/signals.js';
import type { DestinationView } from '../answers/application.js';
import type { Reader } from './child-member.js';

const AT_ONCE = 8;
/** A cluster that hangs must not hold up what is known of the others, */
const EACH_MS = 10_000;
/** nor many of them. */
const ALL_MS = 30_000;

export interface ReadLimits {
  /** Destinations that are read at once; default 8. */
  readonly atOnce?: number;
  /** Milliseconds for one destination; default 10 s. */
  readonly eachMs?: number;
  /** Milliseconds for all of them; default 30 s. */
  readonly allMs?: number;
  /** Ends everything, e.g. because the user is gone. */
  readonly signal?: AbortSignal;
  /** Shared by all who read at a time; default: one of its own. */
  readonly offload?: Pick<Offload, 'run'>;
}

/**
 * Runs `read` for each destination, some at once, each with a signal that ends in time. `host` is the host cluster with
 * the rights of the user: he reads kubeconfigs by himself, or not at all.
 */
export async function eachDestination<T>(
  { host, namespace }: { readonly host: Kube; readonly namespace: string },
  destinations: readonly DestinationView[],
  read: (destination: DestinationView, reader: Reader) => Promise<T>,
  { atOnce = AT_ONCE, eachMs = EACH_MS, allMs = ALL_MS, signal, offload: shared }: ReadLimits = {},
): Promise<T[]> {
  const members = createMembers({ host });
  const own = createOffload();
  const offload = shared ?? own;
  const all = linkSignals([signal], allMs);
  const limit = pLimit(atOnce);
  const readOne = async (destination: DestinationView): Promise<T> => {
    const over = new AbortController();
    const mine = linkSignals([all.signal, over.signal], eachMs);
    try {
      return await read(destination, { host, members, namespace, offload, signal: mine.signal });
    } finally {
      // What still asks after a failure would hold its connection.
      over.abort();
      mine.unlink();
    }
  };
  try {
    return await Promise.all(destinations.map((destination) => limit(() => readOne(destination))));
  } finally {
    all.unlink();
    await Promise.all([members.close(), own.close()]);
  }
}
