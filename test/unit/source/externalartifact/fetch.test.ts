import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Artifact } from '#api/flux/common.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { externalArtifactFetcher } from '#controllers/source/externalartifact/fetch.js';
import type { FetchExternal } from '#engine/flux/deps.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { sha256 } from '../../../support/oci.js';

const SOURCE = { apiVersion: 'v1', kind: 'ExternalArtifact', metadata: { name: 'web', namespace: 'shop' } };
const never = new AbortController().signal;

let root: string;
let server: Listening;
let requests: string[];
/** Answers nothing before it is resolved. */
let open: Promise<void>;
let nowMs: number;
let store: ArtifactStore;
let fetchExternal: FetchExternal;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'external-'));
  [requests, open, nowMs] = [[], Promise.resolve(), 0];
  server = await listen(
    createServer(({ url = '' }, response) => {
      requests.push(url);
      void open.then(() => response.end(url.slice(1)));
    }),
  );
  store = createArtifactStore({ root, baseUrl: 'http://127.0.0.1', nowMs: () => nowMs });
  fetchExternal = externalArtifactFetcher({ store, proxies: {} });
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true });
});

/** As it is published: its content is its name. */
function published(content: string): Artifact {
  const url = `http://127.0.0.1:${server.address.port}/${content}`;
  const rest = { path: 'elsewhere', revision: content, lastUpdateTime: '2026-01-01T00:00:00Z', size: content.length };
  return { ...rest, url, digest: sha256(content) };
}

test('many who need the same artifact at the same time fetch it once', async () => {
  const found = await Promise.all(Array.from({ length: 5 }, () => fetchExternal(SOURCE, published('a'), never)));
  expect(requests).toEqual(['/a']);
  for (const artifact of found) expect(await store.locate(artifact)).toBeDefined();
});

test('one that is cancelled does not fail the others', async () => {
  let answer = (): void => undefined;
  open = new Promise((resolve) => {
    answer = resolve;
  });
  const first = new AbortController();
  const cancelled = fetchExternal(SOURCE, published('a'), first.signal);
  const others = [1, 2].map(() => fetchExternal(SOURCE, published('a'), never));
  first.abort();
  await expect(cancelled).rejects.toThrow();
  answer();
  await Promise.all(others);
  expect(requests.length).toBeLessThanOrEqual(2);
});

test('an artifact that is published again is not removed as a replaced one', async () => {
  const [a] = [await fetchExternal(SOURCE, published('a'), never), await fetchExternal(SOURCE, published('b'), never)];
  await fetchExternal(SOURCE, published('a'), never);
  nowMs += 120_000;
  await fetchExternal(SOURCE, published('c'), never);
  expect(await store.locate(a)).toBeDefined();
});
