import fastify from 'fastify';
import type { AddressInfo } from 'node:net';

/** What is served, by path. */
export type BareAnswers = Readonly<Record<string, { readonly text: string; readonly encoding: string }>>;

/** A child process with a web server that does nothing but send: what any server costs. */
process.on('message', (answers: BareAnswers) => {
  const app = fastify();
  const bodies = new Map(
    Object.entries(answers).map(([path, { text, encoding }]) => [
      path,
      { encoding, body: Buffer.from(text, 'base64') },
    ]),
  );
  app.get('/*', (request, reply) => {
    const { body, encoding } = bodies.get(request.url) ?? { body: undefined, encoding: '' };
    if (body === undefined) return reply.code(404).send();
    if (encoding !== '') reply.header('content-encoding', encoding);
    return reply.type('application/json; charset=utf-8').send(body);
  });
  void app.listen({ host: '127.0.0.1', port: 0 }).then(() => {
    // A TCP server's address is never a string.
    process.send?.({ port: (app.server.address() as AddressInfo).port });
  });
});
