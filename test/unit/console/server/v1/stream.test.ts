import { expect, test } from '@jest/globals';
import fastify from 'fastify';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Application } from '#api/v1alpha1/application.js';
import type { TemplateRoutes } from '#console/server/templates.js';
import { addStream } from '#console/server/v1/stream.js';
import type { Change } from '#runtime/controller.js';
import { application } from '../../../../support/application.js';
import { eventually } from '../../../../support/world.js';

const WAITING = { most: 10_000, characters: 100_000 };

interface Setting {
  readonly port: number;
  /** A change with a text of this length. */
  readonly change: (length: number) => void;
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function serve(
  allows: () => Promise<boolean>,
  limits: Partial<Parameters<typeof addStream>[2]> = {},
): Promise<Setting> {
  const app = fastify({ forceCloseConnections: true });
  app.decorateRequest('user');
  app.addHook('onRequest', (request, _, done) => {
    request.user = { username: 'a' };
    done();
  });
  let tell: (change: Change<Application>) => void = () => undefined;
  const applications = { onChange: (handler: typeof tell) => (tell = handler) };
  addStream(app, { applications, templates: [], access: { allows } } as unknown as TemplateRoutes, {
    recheckMs: 30_000,
    waiting: WAITING,
    ...limits,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const change = (length: number): void => {
    const object = application('web', '{}', `{ labels: { long: ${'a'.repeat(length)} } }`);
    tell({ type: 'updated', object, previous: object });
  };
  const connections = (): Promise<number> =>
    new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
  // A TCP server's address is never a string.
  return { port: (app.server.address() as AddressInfo).port, change, connections, close: () => app.close() };
}

function reader(port: number, path = '/changes'): { socket: Socket; text: () => string; isClosed: () => boolean } {
  const [socket, parts] = [connect(port, '127.0.0.1'), [] as string[]];
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (isClosed = true));
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return { socket, text: () => parts.join(''), isClosed: () => isClosed };
}

test('a reader who reads nothing is let go, and others go on', async () => {
  const { port, change, close } = await serve(() => Promise.resolve(true));
  const [slow, quick] = [reader(port), reader(port)];
  await eventually(() => expect([slow.text(), quick.text()].every((text) => text.includes('ready'))).toBe(true));
  slow.socket.pause();
  const count = 400;
  for (let each = 0; each < count; each += 1) {
    change(50_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(() => expect(quick.text().split('event: updated')).toHaveLength(count + 1));
  slow.socket.resume();
  await eventually(() => expect(slow.isClosed()).toBe(true));
  expect(slow.text().split('event: updated').length).toBeLessThan(count);
  expect(quick.isClosed()).toBe(false);
  quick.socket.destroy();
  await close();
}, 30_000);

test('a reader is let go when nobody can say what he may see', async () => {
  const { port, change, close } = await serve(() => Promise.reject(new Error('no API server')));
  const one = reader(port);
  await eventually(() => expect(one.text()).toContain('ready'));
  change(10);
  await eventually(() => expect(one.isClosed()).toBe(true));
  expect(one.text()).toContain('nobody can say what he may see');
  expect(one.text()).not.toContain('event: updated');
  await close();
});

test('changes that come at once are sent in their order', async () => {
  const { port, change, close } = await serve(() => new Promise((resolve) => setImmediate(() => resolve(true))));
  const one = reader(port);
  await eventually(() => expect(one.text()).toContain('ready'));
  for (let each = 1; each <= 50; each += 1) change(each);
  await eventually(() => expect(one.text().split('event: updated')).toHaveLength(51));
  const lengths = [...one.text().matchAll(/"long":"(a+)"/g)].map(([, text = '']) => text.length);
  expect(lengths).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  one.socket.destroy();
  await close();
});

test('a reader who is gone before his stream begins takes no place', async () => {
  const answers: (() => void)[] = [];
  const allows = (): Promise<boolean> => new Promise((resolve) => answers.push(() => resolve(true)));
  const { port, connections, close } = await serve(allows, { perUser: 1 });
  const gone = reader(port, '/namespaces/shop/changes');
  await eventually(() => expect(answers).toHaveLength(1));
  gone.socket.destroy();
  await eventually(async () => expect(await connections()).toBe(0));
  answers[0]?.();
  const next = reader(port);
  await eventually(() => expect(next.text()).toContain('HTTP/1.1'));
  expect(next.text()).toContain('ready');
  next.socket.destroy();
  await close();
});
