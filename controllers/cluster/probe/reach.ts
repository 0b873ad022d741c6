import { CancelledError, TerminalError, TransientError } from '#lib/errors.js';
import { readCredential, type CredentialReader } from '../connection.js';
import type { Cluster } from '../model/cluster.js';
import type { Finding, Reached } from '../model/probe.js';
import { uidOf } from '#engine/member/cluster-uid.js';
import { kubeFromConfig, type ClusterCredential } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { isMap } from '#lib/plain.js';

/** A cluster that is well answers within a second; one that hangs must not hold up the others. */
const LIMIT_MS = 8_000;

/**
 * The result of `ask` for a cluster, if all of it comes in time: a byte a second is no answer either. `ask` ends when
 * its signal is aborted, with a CancelledError.
 */
export async function answerInTime<T>(
  server: string,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    return await ask(AbortSignal.any([signal, limit]));
  } catch (error: unknown) {
    if (!(error instanceof CancelledError) || signal.aborted) throw error;
    const message = `${server} did not answer within ${LIMIT_MS / 1_000} s`;
    throw new TransientError(message, { cause: error });
  }
}

/** Of a version; a server may answer with anything. */
const VERSION = /^v?\d+\.\d+[\w.+-]{0,60}$/;
/** More than a version ever has. */
const MAX_BYTES = 65_536;

async function uidIfAny(kube: Kube, signal: AbortSignal): Promise<Pick<Reached, 'uid' | 'mayTellLater'>> {
  try {
    return { uid: await uidOf(kube, { signal }) };
  } catch (error: unknown) {
    // The cluster answers, whatever it says.
    if (error instanceof TransientError && error.status !== undefined) return { uid: undefined, mayTellLater: true };
    throw error;
  }
}

function versionIn(answer: unknown): string | undefined {
  const version = isMap(answer) ? answer['gitVersion'] : undefined;
  return typeof version === 'string' && VERSION.test(version) ? version : undefined;
}

async function ask(kube: Kube, signal: AbortSignal): Promise<Reached> {
  const version = versionIn(await kube.read('/version', { signal, maxBytes: MAX_BYTES, once: true }));
  return { server: kube.server, version, ...(await uidIfAny(kube, signal)) };
}

/** Asks a cluster once, over a connection that is closed after. Errors are those of the client. */
export async function reach(credential: ClusterCredential, signal: AbortSignal): Promise<Reached> {
  const kube = kubeFromConfig(credential);
  try {
    return await answerInTime(kube.server, signal, (limited) => ask(kube, limited));
  } finally {
    await kube.close();
  }
}

/** Asks a cluster once, with the inventory's own credential as the reader finds it. Throws CancelledError only. */
export async function probeCluster(cluster: Cluster, reader: CredentialReader, signal: AbortSignal): Promise<Finding> {
  try {
    const credential = await readCredential(cluster, reader, { signal });
    return { reachability: 'Reachable', ...(await reach(credential, signal)) };
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { reachability: error instanceof TerminalError ? 'NoCredential' : 'Unreachable', message };
  }
}
