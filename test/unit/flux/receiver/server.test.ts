import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Delivery } from '#controllers/flux/receiver/model/authenticate.js';
import { MAX_BODY, serveWebhooks } from '#controllers/flux/receiver/server.js';
import { NOT_FOUND } from '#controllers/flux/receiver/webhooks.js';
import type { Listening } from '#controllers/runtime/listen.js';
import { createLogger } from '#controllers/runtime/log.js';

const KNOWN = `/hook/${'a'.repeat(64)}`;
const UNKNOWN = `/hook/${'b'.repeat(64)}`;
const BROKEN = `/hook/${'c'.repeat(64)}`;
let server: Listening;
let seen: Delivery[] = [];

beforeAll(async () => {
  server = await serveWebhooks({
    ...{ host: '127.0.0.1', port: 0, log: createLogger('silent'), requestMs: 500 },
    handle: (path, delivery) => {
      if (path === BROKEN) return Promise.reject(new Error('never-shown'));
      seen.push(delivery);
      const isGood = path === KNOWN && delivery.headers['x-good'] !== undefined;
      return Promise.resolve(isGood ? { status: 200, text: 'ok' } : NOT_FOUND);
    },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  seen = [];
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
