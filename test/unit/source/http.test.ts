import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  Connections,
  downloadIfNew,
  exchange,
  readAll,
  save,
  type Download,
  type Downloaded,
  type Response,
} from '#controllers/source/http.js';
import { listen, type Listening } from '#runtime/process/listen.js';

/** What a server that is broken, slow or hostile may answer. */
let server: Listening | undefined;
afterEach(() => server?.close());

async function asked(answer: RequestListener, fields: Partial<Download> = {}): Promise<Download> {
  server = await listen(createServer(answer));
  return {
    url: `http://127.0.0.1:${server.address.port}/index.yaml`,
    ...{ credentials: {}, proxies: {}, maxBytes: 100, timeoutMs: 20_000 },
    ...{ signal: new AbortController().signal, reason: 'IndexationFailed' },
    ...fields,
  };
}

test.each<[string, (response: ServerResponse) => void]>([
  ['with its length', (response) => response.end('index')],
  ['in chunks', (response) => response.write('in', () => response.end('dex'))],
])('the version of an answer %s is read, and 304 to it has no body', async (_title, answer) => {
  const request = await asked((incoming, response) => {
    if (incoming.headers['if-none-match'] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
    else answer(response.setHeader('etag', '"1"'));
  });
  const first = await downloadIfNew(request);
  expect(first).toEqual({ body: Buffer.from('index'), etag: '"1"' });
  expect(await downloadIfNew({ ...request, unless: first?.etag })).toBeUndefined();
});

test('an answer that comes in small parts keeps no more than its own bytes', async () => {
  const read = Buffer.alloc(65_536);
  async function* body(): AsyncGenerator<Buffer> {
    for (const letter of 'index') {
      read.fill(letter);
      yield await Promise.resolve(read.subarray(0, 1));
    }
  }
  const response = { statusCode: 200, headers: {}, body: body() } as unknown as Response; // nothing else is read
  expect((await readAll({ maxBytes: 5 } as Download, response)).toString()).toBe('index'); // the rest names a failure
});

const DATED = { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' };
test.each<[string, RequestListener]>([
  ['has only a date', (_, response) => response.writeHead(200, DATED).end('index')],
  ['has a weak ETag', (_, response) => response.writeHead(200, { etag: 'W/"1"' }).end('index')],
  ['has an ETag that is no header', (_, response) => response.writeHead(200, { etag: '"\u00e9"' }).end('index')],
  ['may have been cut off', (_, { socket }) => socket?.end('HTTP/1.1 200 OK\r\nETag: "1"\r\n\r\nindex')],
])('an answer that %s has no version', async (_title, answer) => {
  expect(await downloadIfNew(await asked(answer))).toEqual({ body: Buffer.from('index') });
});

test('a 304 that nobody asked for is an error', async () => {
  const request = await asked((_incoming, response) => response.writeHead(304).end());
  await expect(downloadIfNew(request)).rejects.toThrow(/the server answered 304/);
});

test.each<[string, RequestListener, RegExp]>([
  ['is larger than allowed', (_, response) => response.end('x'.repeat(101)), /larger than 100 bytes/],
  [
    'is larger when unpacked',
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(101))),
    /ERR_BUFFER_TOO_LARGE/,
  ],
  [
    'ends before its length',
    (_, response) => response.writeHead(200, { 'content-length': 50 }).write('x', () => response.destroy()),
    /UND_ERR_SOCKET/,
  ],
  [
    'leads to a file',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    /redirects to a URL that is not http or https/,
  ],
  ['leads to itself', (_, response) => response.writeHead(302, { location: '/index.yaml' }).end(), /more than 10/],
])('an answer that %s is an error', async (_title, answer, message) => {
  await expect(downloadIfNew(await asked(answer))).rejects.toMatchObject({
    reason: 'IndexationFailed',
    message: expect.stringMatching(message),
  });
});

test('a disk that is full is not blamed on the server', async () => {
  const request = await asked((_, response) => response.end('chart'));
  const saved = exchange(request, ({ response }) => save(request, response, '/dev/full'));
  await expect(saved).rejects.toMatchObject({ code: 'ENOSPC' });
});

test.each<[string, RequestListener]>([
  ['never comes', () => undefined],
  ['drips', (_, response) => void setInterval(() => response.write('x'), 50).unref()],
])('an answer that %s is given up after the timeout, and its connection closed', async (_title, answer) => {
  let closed: Promise<unknown> | undefined;
  const request = await asked(
    (incoming, response) => {
      closed = once(response, 'close');
      answer(incoming, response);
    },
    { timeoutMs: 300 },
  );
  await expect(downloadIfNew(request)).rejects.toThrow(/no complete response within 300 ms \(spec\.timeout/);
  await closed;
});

test('a body that grows a thousand times as it is unpacked is stopped before it does', async () => {
  const bomb = gzipSync(Buffer.alloc(128 * 1024 * 1024));
  const request = await asked((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb), {
    maxBytes: 1024 * 1024,
  });
  const memory = process.memoryUsage().arrayBuffers;
  await expect(downloadIfNew(request)).rejects.toMatchObject({ reason: 'IndexationFailed' });
  expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(16 * 1024 * 1024);
});

test('a redirect that never ends costs eleven requests', async () => {
  let requests = 0;
  const request = await asked((_, response) => {
    requests += 1;
    response.writeHead(302, { location: `/${requests}` }).end();
  });
  await expect(downloadIfNew(request)).rejects.toThrow(/more than 10/);
  expect(requests).toBe(11);
});

describe('a name that a redirect leads to', () => {
  test.each<[string, string[]]>([
    ['stands for a metadata server', ['169.254.169.254']],
    ['stands for one besides another', ['127.0.0.1', '169.254.169.254']],
  ])('and that %s is refused', async (_title, addresses) => {
    await expect(redirected(addresses)).rejects.toMatchObject({
      reason: 'IndexationFailed',
      message: expect.stringMatching(/it leads to mirror\.example, a link-local address, which is never fetched/),
    });
  });

  test('and that stands for any other is fetched', async () => {
    expect((await redirected(['127.0.0.1']))?.body.toString()).toBe('index');
  });
});

describe('an address of this machine', () => {
  const LOOPBACK = ['127.0.0.1', '127.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]'];

  function connectionsFor(fields: Partial<Download>): Connections {
    const toLoopback: ConstructorParameters<typeof Connections>[1] = (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const request = { url: 'http://charts.example/index.yaml', credentials: {}, proxies: {}, reason: 'Failed' };
    return new Connections({ ...request, timeoutMs: 1_000, ...fields } as Download, toLoopback);
  }

  test.each(LOOPBACK)('is not fetched where no spec names one: %s', (host) => {
    const url = `http://${host}:9090/a.tgz`;
    expect(() => connectionsFor({}).to(url)).toThrow(/, a loopback address, which is never fetched/);
    // It may be an index that names the URL, of a repository that may not even name a link-local address.
    const ofIndex = { url, namedHost: '', statedHost: 'charts.example' };
    expect(() => connectionsFor(ofIndex).to(url)).toThrow(/, a loopback address, which is never fetched/);
  });

  test.each(LOOPBACK)('is fetched where the spec names one: %s', (host) => {
    const { hostname: statedHost } = new URL(`http://${host}/`);
    expect(() => connectionsFor({ statedHost }).to('http://127.0.0.1:9090/a.tgz')).not.toThrow();
    expect(() => connectionsFor({ url: `http://${host}/` }).to('http://localhost:9090/')).not.toThrow();
  });

  test('is not fetched by a name that stands for it, also where a spec has the name', async () => {
    const request = await asked((_, response) => response.end('index'));
    const url = request.url.replace('127.0.0.1', 'charts.example');
    const connections = connectionsFor({ url });
    await expect(downloadIfNew({ ...request, url, connections })).rejects.toThrow(
      'it leads to charts.example, a loopback address, which is never fetched',
    );
    await connections.close();
  });
});

/** What comes of a redirect to a name with these addresses. */
async function redirected(addresses: readonly string[]): Promise<Downloaded | undefined> {
  const request = await asked(({ headers }, response) => {
    const [, port = ''] = headers.host?.split(':') ?? [];
    if (headers.host?.startsWith('mirror.example') === true) response.end('index');
    else response.writeHead(302, { location: `http://mirror.example:${port}/index.yaml` }).end();
  });
  const connections = new Connections(request, (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    ),
  );
  try {
    return await downloadIfNew({ ...request, connections });
  } finally {
    await connections.close();
  }
}
