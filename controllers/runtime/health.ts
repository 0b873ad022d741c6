import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';

export interface HealthOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly metrics: Metrics;
  /** Why the process is not ready to work; empty when it is. */
  readonly notReady: () => readonly string[];
}

/** `/healthz` (the event loop turns), `/readyz` (caches are filled) and `/metrics`. */
export async function serveHealth(options: HealthOptions): Promise<{ address: AddressInfo; close: () => void }> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', response, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { address: boundAddress(server), close };
}

function boundAddress(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the health server has no TCP address');
  return address;
}

async function answer(url: string, response: ServerResponse, options: HealthOptions): Promise<void> {
  const send = (code: number, text: string, type = 'text/plain'): void => {
    response.writeHead(code, { 'content-type': type }).end(text);
  };
  if (url === '/healthz') send(200, 'ok\n');
  else if (url === '/readyz') sendReadiness(options.notReady(), send);
  else if (url === '/metrics')
    send(200, await options.metrics.registry.metrics(), options.metrics.registry.contentType);
  else send(404, 'not found\n');
}

function sendReadiness(reasons: readonly string[], send: (code: number, text: string) => void): void {
  if (reasons.length === 0) send(200, 'ok\n');
  else send(503, `${reasons.join('\n')}\n`);
}
