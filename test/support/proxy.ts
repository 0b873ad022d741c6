import { writeFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import type { FaultProxy } from '#bench/faults/fault-proxy.js';
import type { Answer } from '#bench/faults/http-proxy.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import type { Cluster } from '#sandbox/world.js';

export { startFaultProxy, type FaultProxy } from '#bench/faults/fault-proxy.js';
export type { SeenRequest } from '#bench/faults/http-proxy.js';
export { startTcpProxy, type TcpProxy } from '#bench/faults/tcp-proxy.js';

/** A refusal in the form of the API server: a `Status` object, and Retry-After where seconds are given. */
export function statusAnswer(code: number, options: { reason: string; retryAfterSeconds?: number }): Answer {
  const { reason, retryAfterSeconds } = options;
  const message = `${STATUS_CODES[code] ?? 'refused'} (said by the proxy)`;
  return {
    code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }),
  };
}

/** Writes a kubeconfig for the cluster behind the proxy. */
export async function writeKubeconfigOf(proxy: FaultProxy, cluster: Cluster, file: string): Promise<void> {
  const token = (await readContext({ path: cluster.kubeconfig })).user?.token;
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: proxy.server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(file, JSON.stringify(content));
}
