import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { linkSignals } from '#runtime/process/signals.js';
import { follow } from '../follow.js';

interface Limits {
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/**
 * Shows all Applications of a namespace at first and after each change, until `show` says that it has seen enough.
 * False: it had not at the limit. Throws when `signal` is aborted.
 */
export async function followUntil(
  kube: Kube,
  { namespace, signal, limitMs }: Limits,
  show: (applications: readonly Application[]) => boolean,
): Promise<boolean> {
  const done = new AbortController();
  const linked = linkSignals([signal, done.signal], limitMs);
  const onChange = (applications: readonly Application[]): void => {
    if (!done.signal.aborted && show(applications)) done.abort();
  };
  const following = { type: applicationResource, query: { namespace }, signal: linked.signal, show: onChange };
  await follow<Application>(kube, following).finally(linked.unlink);
  signal.throwIfAborted();
  return done.signal.aborted;
}
