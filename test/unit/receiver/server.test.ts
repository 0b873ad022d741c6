import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Delivery } from '#controllers/receiver/model/authenticate.js';
import { MAX_BODY, serveWebhooks } from '#controllers/receiver/server.js';
import { NOT_FOUND } from '#controllers/receiver/webhooks.js';
import type { Listening } from '#runtime/process/listen.js';
import { createLogger } from '#runtime/process/log.js';
import { eventually } from '#bench/scenarios/eventually.js';

const KNOWN = `/hook/${'a'.repeat(64)}`;
const UNKNOWN = `/hook/${'b'.repeat(64)}`;
const BROKEN = `/hook/${'c'.repeat(64)}`;
const SLOW = `/hook/${'d'.repeat(64)}`;
let server: Listening;
let seen: Delivery[] = [];
/** Ends the webhooks to SLOW. */
let proceed = (): void => undefined;
let ended = Promise.resolve();

beforeAll(async () => {
  server = await serveWebhooks({
    ...{ host: '127.0.0.1', port: 0, log: createLogger('silent'), requestMs: 500 },
    handle: async (path, delivery) => {
      if (path === BROKEN) throw new Error('never-shown');
      seen.push(delivery);
      if (path === SLOW) await ended;
      const isGood = path === KNOWN && delivery.headers['x-good'] !== undefined;
      return isGood ? { status: 200, text: 'ok' } : NOT_FOUND;
    },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  seen = [];
  ended = new Promise((resolve) => (proceed = resolve));
});

function post(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.address.port}${path}`, { method: 'POST', redirect: 'manual', ...init });
}

/** What the server says to these bytes, until it closes the connection; nothing if it closes before it read them all. */
async function raw(...parts: readonly string[]): Promise<string> {
  const socket = connect(server.address.port, '127.0.0.1');
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  return text(socket).catch(() => '');
}

test('a webhook arrives with its headers and bytes', async () => {
  const response = await post(KNOWN, { body: Buffer.from([0, 0xff]), headers: { 'x-good': '1' } });
  expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
  expect(seen).toMatchObject([{ headers: { 'x-good': '1' }, body: Buffer.from([0, 0xff]) }]);
});

test('an unknown path and a wrong signature get the same answer, and not sooner', async () => {
  const answers = await Promise.all(
    [KNOWN, UNKNOWN, '/', '/hook/x', `${KNOWN}?a=b`].map(async (path) => {
      const begun = performance.now();
      const response = await post(path);
      // A timer may end a moment early.
      const isHeldBack = performance.now() - begun > 240;
      return [response.status, await response.text(), isHeldBack];
    }),
  );
  expect(answers).toEqual(answers.map(() => [404, 'not found\n', true]));
});

describe('what is not a webhook', () => {
  afterEach(() => expect(seen).toEqual([]));

  test('another method', async () => {
    const response = await post(KNOWN, { method: 'GET' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a body that is too large, by its length, is not read', async () => {
    expect(await raw(`POST ${KNOWN} HTTP/1.1\r\nHost: a\r\nContent-Length: ${MAX_BODY + 1}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 413 /,
    );
  });

  test('a body that is too large, in chunks', async () => {
    const chunk = `${(64 * 1024).toString(16)}\r\n${'a'.repeat(64 * 1024)}\r\n`;
    const head = `POST ${KNOWN} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await raw(head, ...Array.from({ length: 17 }, () => chunk))).toMatch(/^(HTTP\/1.1 413 |$)/);
  });

  test('headers that are too large', async () => {
    expect(await raw(`POST ${KNOWN} HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`)).toMatch(
      /^(HTTP\/1.1 431 |$)/,
    );
  });

  test('a body that does not come', async () => {
    expect(await raw(`POST ${KNOWN} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\na`)).toMatch(/^HTTP\/1.1 408 /);
  });

  test('headers that do not end', async () => {
    expect(await raw(`POST ${KNOWN} HTTP/1.1\r\nHost: a\r\n`)).toMatch(/^HTTP\/1.1 408 /);
  });

  test('no HTTP', async () => {
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });
});

test('an error of ours says nothing to the sender', async () => {
  const response = await post(BROKEN);
  expect([response.status, await response.text()]).toEqual([
    500,
    'an unexpected error: see the log of the controller\n',
  ]);
  expect(seen).toEqual([]);
});

test('a connection has one webhook at a time, and may have another after its answer', async () => {
  const head = `POST ${SLOW} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na`;
  expect(await raw(head.repeat(50))).toBe('');
  expect(seen).toHaveLength(1);
  proceed();
  const socket = connect(server.address.port, '127.0.0.1');
  for (let count = 0; count < 3; count += 1) {
    socket.write(`POST ${KNOWN} HTTP/1.1\r\nHost: a\r\nX-Good: 1\r\nContent-Length: 1\r\n\r\na`);
    const [answer] = (await once(socket, 'data')) as [Buffer]; // one short answer is one chunk
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
  }
  socket.destroy();
});

test('the body of a path that no Receiver can have is not read', async () => {
  // The sender may take longer than its answer.
  const patient = await serveWebhooks({
    ...{ host: '127.0.0.1', port: 0, log: createLogger('silent') },
    handle: () => Promise.resolve(NOT_FOUND),
  });
  const socket = connect(patient.address.port, '127.0.0.1');
  socket.write('POST /hook/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 404 /);
  await patient.close();
});

test('bodies have room together, which senders that went away still take', async () => {
  const small = await serveWebhooks({
    ...{ host: '127.0.0.1', port: 0, log: createLogger('silent'), bodyBytes: 10 },
    handle: async () => {
      seen.push({ headers: {}, body: new Uint8Array() });
      await ended;
      return { status: 200, text: 'ok' };
    },
  });
  const send = (body: string, signal?: AbortSignal): Promise<number> =>
    fetch(`http://127.0.0.1:${small.address.port}${KNOWN}`, { method: 'POST', body, ...(signal && { signal }) }).then(
      ({ status }) => status,
    );
  const gone = new AbortController();
  const first = send('a'.repeat(8), gone.signal).catch(() => 'gone');
  await eventually(() => expect(seen).toHaveLength(1));
  gone.abort();
  expect([await first, await send('aaa')]).toEqual(['gone', 503]);
  proceed();
  await eventually(async () => expect(await send('aaa')).toBe(200));
  await small.close();
});

describe('more than 64 connections', () => {
  const HEAD = `POST ${KNOWN} HTTP/1.1\r\nHost: a\r\nX-Good: 1\r\nContent-Length: 1\r\n\r\n`;
  let open: Socket[] = [];
  let patient: Listening;

  beforeEach(async () => {
    patient = await serveWebhooks({
      ...{ host: '127.0.0.1', port: 0, log: createLogger('silent') },
      handle: async (path, delivery) => {
        seen.push(delivery);
        if (path === SLOW) await ended;
        return { status: 200, text: 'ok' };
      },
    });
  });
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    open = [];
    await patient.close();
  });

  async function from(localAddress: string, bytes: string): Promise<Socket> {
    const socket = connect({ port: patient.address.port, host: '127.0.0.1', localAddress });
    // Reset by the server.
    socket.on('error', () => undefined);
    open.push(socket);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  /** Clients that never send the body. */
  async function slowClients(address: string, count: number): Promise<Socket[]> {
    const clients: Socket[] = [];
    for (let index = 0; index < count; index += 1) clients.push(await from(address, HEAD));
    return clients;
  }

  const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;
  const answerTo = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

  test('of one address keep no other one away', async () => {
    const slow = await slowClients('127.0.0.1', 64);
    expect(await answerTo(await from('127.0.0.2', `${HEAD}a`))).toMatch(/^HTTP\/1.1 200 /);
    await eventually(() => expect(slow.map(isOpen)).toEqual(slow.map((_, index) => index !== 0)));
  });

  test('cost the address with most of them its slowest ones', async () => {
    const other = await from('127.0.0.2', HEAD);
    const handled = await from('127.0.0.1', `POST ${SLOW} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na`);
    await eventually(() => expect(seen).toHaveLength(1));
    const slow = await slowClients('127.0.0.1', 162);
    await eventually(() => expect(slow.map(isOpen)).toEqual(slow.map((_, index) => index >= 100)));
    proceed();
    expect(await answerTo(handled)).toMatch(/^HTTP\/1.1 200 /);
    other.write('a');
    expect(await answerTo(other)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('behind one proxy leave those that send', async () => {
    await slowClients('127.0.0.1', 64);
    expect(await answerTo(await from('127.0.0.1', `${HEAD}a`))).toMatch(/^HTTP\/1.1 200 /);
  });

  test('that are all being handled refuse the next one', async () => {
    const head = `POST ${SLOW} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na`;
    const handled: Socket[] = [];
    for (let index = 0; index < 64; index += 1) handled.push(await from('127.0.0.1', head));
    await eventually(() => expect(seen).toHaveLength(64));
    const late = await from('127.0.0.2', `${HEAD}a`);
    await eventually(() => expect(isOpen(late)).toBe(false));
    proceed();
    expect(await Promise.all(handled.map(answerTo))).toHaveLength(64);
  });
});
