import { createServer, type ServerResponse } from 'node:http';
import { listen, type Listening } from './listen.js';
import type { Metrics } from './metrics.js';

interface Answers {
  readonly metrics: Metrics;
  /** Why the process is not ready to work; empty when it is. */
  readonly notReady: () => readonly string[];
}

export interface HealthOptions extends Answers {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** `/healthz` (the event loop turns), `/readyz` (caches are filled) and `/metrics`. */
export function serveHealth({ host, port, ...options }: HealthOptions): Promise<Listening> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', response, options);
  });
  return listen(server, { host, port });
}

async function answer(url: string, response: ServerResponse, options: Answers): Promise<void> {
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
