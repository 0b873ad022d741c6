import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import fastify from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Application } from '#api/v1alpha1/application.js';
import { printedPieces, sendList } from '#console/server/long-list.js';

const MANY = 2_000;
const TEXT = 'x'.repeat(10_000);

/** A list of many, each of which says that it was printed. */
function listOf(count: number, printed: number[] = []): { items: Application[]; totalItems: number } {
  const items = Array.from({ length: count }, (_, index) => ({
    get name() {
      printed.push(index);
      return `web-${index}`;
    },
    text: TEXT,
  }));
  return { items: items as unknown as Application[], totalItems: count + 1 };
}

const app = fastify({ forceCloseConnections: true });
const printed: number[] = [];
app.get('/:count', (request, reply) => {
  const { count } = request.params as { readonly count: string };
  return sendList(reply, listOf(Number(count), printed));
});

const portOf = (): number => (app.server.address() as AddressInfo).port;

interface Read {
  readonly type: string | null;
  readonly body: { readonly items: readonly object[]; readonly totalItems: number };
}

async function read(count: number): Promise<Read> {
  const answer = await fetch(`http://127.0.0.1:${portOf()}/${count}`);
  return { type: answer.headers.get('content-type'), body: (await answer.json()) as Read['body'] };
}

beforeAll(() => app.listen({ port: 0, host: '127.0.0.1' }));
afterAll(() => app.close());
afterEach(() => {
  printed.length = 0;
  jest.restoreAllMocks();
});

test.each([0, 1, 6, 7, 8, 13, 14, 100])('a list of %d is whole', async (count) => {
  const { type, body } = await read(count);
  expect(type).toBe('application/json; charset=utf-8');
  expect([body.items.length, body.totalItems]).toEqual([count, count + 1]);
  expect(body.items.at(-1) ?? { name: '' }).toMatchObject({ name: count === 0 ? '' : `web-${count - 1}` });
});

test('its pieces are short, but for an item that is not', () => {
  const lengths = [...printedPieces(listOf(100))].map(({ length }) => length);
  expect(lengths.length).toBe(15);
  expect(Math.max(...lengths)).toBeLessThan(80_000);
});

/** A reader that takes nothing; what the connection buffers is sent all the same. */
async function slowReader(): Promise<Socket> {
  const socket = connect(portOf(), '127.0.0.1');
  socket.pause();
  socket.write(`GET /${MANY} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, 'connect');
  return socket;
}

test('what nobody reads is not printed, and goes on when somebody does', async () => {
  const socket = await slowReader();
  let before = -1;
  while (printed.length === 0 || printed.length !== before) {
    before = printed.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(printed.length).toBeLessThan(MANY / 2);
  let length = 0;
  socket.on('data', (chunk: Buffer) => (length += chunk.length));
  socket.resume();
  while (length < MANY * TEXT.length) await once(socket, 'data');
  expect(printed.length).toBe(MANY);
  socket.destroy();
});

test('who takes too long does not get what looks like the whole', async () => {
  const clock = { ms: 0 };
  jest.spyOn(performance, 'now').mockImplementation(() => (clock.ms += 10_000));
  await expect(read(100)).rejects.toThrow();
});
