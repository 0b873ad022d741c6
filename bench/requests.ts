import { Pool, type Dispatcher } from 'undici';
import { credentialOf } from '#runtime/client/context-credential.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import { forEach, secondsOf } from './harness.js';

/** Requests at the same time, and connections of the bare pool: as many as a busy controller has. */
export const CONCURRENCY = 16;

/** A client as bare as it can be: it sends bytes and reads them. */
export interface Bare {
  send(method: 'GET' | 'PATCH', path: string, body?: string): Promise<string>;
  close(): Promise<void>;
}

export interface Rate {
  readonly perSecond: number;
  readonly cpuMicrosPerRequest: number;
}

/** A client for the administrator of a kubeconfig; `settings` replaces settings of its connections. */
export async function bareClient(kubeconfig: string, settings: Pool.Options = {}): Promise<Bare> {
  const context = await readContext({ path: kubeconfig });
  const credential = await credentialOf(context);
  const origin = context.cluster?.server ?? '';
  const pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1, ...settings, connect: credential.tls });
  const headers = { accept: 'application/json', ...credential.headers };
  const patch = { ...headers, 'content-type': 'application/apply-patch+yaml' };
  return {
    send: async (method, path, body) => {
      const request: Dispatcher.RequestOptions = { method, path, headers: method === 'GET' ? headers : patch };
      const response = await pool.request({ ...request, body: body ?? null });
      const text = await response.body.text();
      if (response.statusCode >= 400) throw new Error(`HTTP ${response.statusCode}: ${text}`);
      return text;
    },
    close: () => pool.close(),
  };
}

/** Sends as many requests, always CONCURRENCY at a time; CPU is that of this process. */
export async function rateOf(requests: number, send: (index: number) => Promise<unknown>): Promise<Rate> {
  const cpu = process.cpuUsage();
  const seconds = await secondsOf(() => forEach(requests, send, CONCURRENCY));
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: requests / seconds, cpuMicrosPerRequest: (user + system) / requests };
}
