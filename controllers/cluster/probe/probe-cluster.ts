import { CancelledError, TerminalError } from '#lib/errors.js';
import { readCredential, type CredentialReader } from '../connection.js';
import type { Cluster } from '../model/cluster.js';
import type { Finding } from '../model/probe.js';
import { reach } from './reach.js';

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
