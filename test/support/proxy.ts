import { STATUS_CODES } from 'node:http';
import type { Answer } from '#bench/faults/http-proxy.js';

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
