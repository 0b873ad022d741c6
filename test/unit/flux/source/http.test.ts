import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { download } from '#controllers/flux/source/http.js';
import { listen, type Listening } from '#controllers/runtime/listen.js';

let server: Listening;
let origin: string;

/** Redirects to what the query says, and answers all else. */
beforeAll(async () => {
  server = await listen(
    createServer(({ url = '/' }, response) => {
      const to = new URL(url, 'http://server').searchParams.get('to');
      if (to === null) response.end('answer');
      else response.writeHead(302, { location: to }).end();
    }),
  );
  origin = `http://127.0.0.1:${server.address.port}`;
});

afterAll(() => server.close());

function get(url: string, namedHost?: string): Promise<Buffer> {
  return download({
    ...{ url, credentials: {}, proxies: {}, maxBytes: 1_000, timeoutMs: 20_000, reason: 'Failed' },
    ...(namedHost === undefined ? {} : { namedHost }),
    signal: new AbortController().signal,
  });
}

function redirectTo(to: string): string {
  return `${origin}/?to=${encodeURIComponent(to)}`;
}

test('a redirect to another host is followed', async () => {
  const body = await get(redirectTo(`http://localhost:${server.address.port}/`));
  expect(body.toString()).toBe('answer');
});

test.each([
  ['http://169.254.169.254/latest/meta-data', '169.254.169.254'],
  ['http://2852039166/', '169.254.169.254'],
  ['http://[::ffff:a9fe:a9fe]/', '[::ffff:a9fe:a9fe]'],
  ['http://metadata.google.internal/', 'metadata.google.internal'],
])('a redirect to %s is refused before anything is sent', async (to, host) => {
  const refused = `cannot fetch ${origin}/: it leads to ${host}, a link-local address, which is never fetched from there`;
  await expect(get(redirectTo(to))).rejects.toMatchObject({ message: refused, reason: 'Failed' });
  // Over another host of good repute.
  const detour = redirectTo(`http://localhost:${server.address.port}/?to=${encodeURIComponent(to)}`);
  await expect(get(detour)).rejects.toThrow(host);
});

test.each(['file:///etc/passwd', 'gopher://localhost/', 'data:,text'])('a redirect to %s is refused', async (to) => {
  await expect(get(redirectTo(to))).rejects.toThrow('the server redirects to a URL that is not http or https');
});

test('a URL that no spec names is held to the same', async () => {
  await expect(get('http://169.254.169.254/', 'charts.example.com')).rejects.toThrow('a link-local address');
});
