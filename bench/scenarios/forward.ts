import { request, type IncomingMessage, type ServerResponse } from 'node:http';

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
