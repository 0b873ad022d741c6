import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listen } from '#runtime/process/listen.js';

/** Passes a request on to a server of plain HTTP, and its answer back. */
export function forward(target: URL, incoming: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers } = incoming;
  const outgoing = request(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

export interface Counts {
  readonly requests: number;
  /** By git: requests for a pack. */
  readonly fetches: number;
}

/** In front of a server of plain HTTP; counts what passes. */
export interface CountingProxy {
  readonly origin: string;
  readonly counts: () => Counts;
  readonly close: () => Promise<void>;
}

/** Of protocol 2, a request says what it is for; in older ones there is only one. */
function isFetch({ headers }: IncomingMessage, chunk: Buffer): boolean {
  return headers['git-protocol'] !== 'version=2' || chunk.includes('command=fetch');
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let [requests, fetches] = [0, 0];
  const server = createServer((incoming, response) => {
    requests += 1;
    if (incoming.method === 'POST' && incoming.url?.endsWith('/git-upload-pack') === true) {
      incoming.once('data', (chunk: Buffer) => {
        if (isFetch(incoming, chunk)) fetches += 1;
      });
    }
    forward(new URL(incoming.url ?? '/', target), incoming, response);
  });
  const { address, close } = await listen(server);
  return { origin: `http://127.0.0.1:${address.port}`, counts: () => ({ requests, fetches }), close };
}
