import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Registry } from '#controllers/source/oci/registry.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { sha256 } from '../../../support/oci.js';

/** What a registry that is broken, or hostile, may answer. */
let server: Listening | undefined;
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-odd-registry-'));
});

afterEach(async () => {
  await server?.close();
  await rm(dir, { recursive: true, force: true });
});

async function registry(answer: RequestListener, timeoutMs = 100_000): Promise<Registry> {
  server = await listen(createServer(answer));
  return new Registry({
    repository: { host: `127.0.0.1:${server.address.port}`, name: 'app' },
    ...{ insecure: true, login: undefined, tls: undefined, proxies: {} },
    ...{ timeoutMs, signal: new AbortController().signal, reason: 'OCIArtifactPullFailed' },
  });
}

function layer(text: string, size = text.length): { mediaType: string; digest: string; size: number } {
  return { mediaType: 'text/plain', digest: sha256(text), size };
}

test('tags are read from all pages', async () => {
  const pages = [
    { tags: ['a', 'b'], link: '</v2/app/tags/list?last=b>; rel="next"' },
    { tags: ['c', 1, 'x'.repeat(200)], link: '</v2/app/tags/list?last=c>; title="x"; rel=next' },
    { tags: null },
  ];
  const odd = await registry((_request, response) => {
    const { tags, link } = pages.shift() ?? { tags: [] };
    response.writeHead(200, link === undefined ? {} : { link }).end(JSON.stringify({ tags }));
  });
  expect(await odd.tags()).toEqual(['a', 'b', 'c']);
});

test.each([
  ['a next page on another host', { tags: [] }, '<http://localhost:1/v2/>; rel="next"', /continues on another host/],
  ['a page for ever', { tags: [] }, '</v2/app/tags/list>; rel="next"', /has too many tags/],
  ['more tags than anybody has', { tags: Array.from({ length: 200_000 }, String) }, '', /has too many tags/],
  ['no list', { tags: 'a' }, '', /is not a list of tags/],
])('%s ends the reading of tags', async (_title, body, link, message) => {
  let requests = 0;
  const odd = await registry((_request, response) => {
    requests += 1;
    response.writeHead(200, { link }).end(JSON.stringify(body));
  });
  await expect(odd.tags()).rejects.toThrow(message);
  expect(requests).toBeLessThanOrEqual(1_002);
});

test('a HEAD without a digest is followed by a GET', async () => {
  const odd = await registry((_request, response) => response.end('{}'));
  expect(await odd.resolve('latest')).toBe(sha256('{}'));
});

test.each([
  [
    'the tags of its version',
    ['109.0.1_up1.0.2', '109.0.0', '109.0.1_\u001b'],
    'there is 109.0.1_up1.0.2: name it with what is behind',
  ],
  ['all tags without one', ['109.0.0', 'latest'], 'the tags are 109.0.0, latest'],
  ['the first of many', Array.from({ length: 20 }, (_, index) => `1.0.${index}`), '1.0.9 and 10 more'],
])('a tag that is not there is told with %s', async (_title, tags, offer) => {
  const odd = await registry(({ url = '' }, response) => {
    if (url.includes('/tags/list')) response.end(JSON.stringify({ tags }));
    else response.writeHead(404).end();
  });
  await expect(odd.resolve('109.0.1')).rejects.toThrow('/v2/app/manifests/109.0.1: the server answered 404: ');
  await expect(odd.resolve('109.0.1')).rejects.toThrow(offer);
});

test('a tag that is not there is told alone where tags cannot be listed', async () => {
  const odd = await registry((_request, response) => response.writeHead(404).end());
  await expect(odd.resolve('109.0.1')).rejects.toThrow(/the server answered 404$/);
});

test('content that is not what its digest says is refused', async () => {
  const odd = await registry((_request, response) => response.end('other'));
  await expect(odd.manifest(sha256('{}'))).rejects.toThrow(/has other content than its digest says/);
  await expect(odd.save(layer('data'), path.join(dir, 'layer'), 100)).rejects.toThrow(/has other content/);
});

test('a layer is saved, unless it is larger than allowed, whatever its size is said to be', async () => {
  const odd = await registry((_request, response) => response.end('some data'));
  const file = path.join(dir, 'layer');
  await odd.save(layer('some data'), file, 100);
  expect(await readFile(file, 'utf8')).toBe('some data');
  await expect(odd.save(layer('some data'), file, 5)).rejects.toThrow(/has 9 bytes; at most 5 are fetched/);
  await expect(odd.save(layer('some data', 1), file, 5)).rejects.toThrow(/the response is larger than 5 bytes/);
});

test('a registry that never ends is left after the timeout of all requests together', async () => {
  const odd = await registry((_request, response) => {
    const timer = setInterval(() => response.write('x'), 10);
    response.once('close', () => clearInterval(timer));
  }, 500);
  await expect(odd.manifest(sha256('{}'))).rejects.toThrow(/no complete response within 500 ms \(spec\.timeout\)/);
});
