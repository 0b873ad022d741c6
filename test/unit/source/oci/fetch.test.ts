import { createServer } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import type { Deps } from '#controllers/source/deps.js';
import type { OCIRepository } from '#controllers/source/model/source.js';
import { fetchOciRepository } from '#controllers/source/oci/fetch.js';
import type { PassContext } from '#runtime/controller.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { sha256 } from '../../../support/oci.js';

const INDEX = 'application/vnd.oci.image.index.v1+json';
let server: Listening | undefined;

afterEach(() => server?.close());

function listOf(...digests: readonly string[]): string {
  const platform = { os: 'linux', architecture: 'amd64' };
  return JSON.stringify({ manifests: digests.map((digest) => ({ mediaType: INDEX, digest, size: 1, platform })) });
}

/** A thousand lists, each of which leads to the one before it; the last one first. */
function chain(): [string, ...string[]] {
  let lists: [string, ...string[]] = [listOf(sha256('an image'))];
  while (lists.length < 1_000) lists = [listOf(sha256(lists[0])), ...lists];
  return lists;
}

/** Fetches the first of these manifests by its digest, and counts what is asked of the registry. */
async function requestsFor(manifests: readonly [string, ...string[]], message: RegExp): Promise<number> {
  const kept = new Map(manifests.map((text) => [`/v2/app/manifests/${sha256(text)}`, text]));
  let requests = 0;
  server = await listen(
    createServer(({ url = '' }, response) => {
      requests += 1;
      response.end(kept.get(url) ?? manifests[0]);
    }),
  );
  const offload: Pick<Offload, 'run'> = { run: async (task, input) => await task.run(input) };
  const deps = {
    ...{ offload, proxies: {} },
    store: { scratch: () => Promise.resolve({ path: '/none', dispose: () => Promise.resolve() }) },
  } as unknown as Deps; // no more of them is asked for
  const [url, digest] = [`oci://127.0.0.1:${server.address.port}/app`, sha256(manifests[0])];
  const repository = { metadata: { name: 'app', namespace: 'shop' }, spec: { url, insecure: true, ref: { digest } } };
  const context = { signal: new AbortController().signal };
  const fetching = fetchOciRepository(deps, repository as OCIRepository, context as PassContext);
  await expect(fetching).rejects.toThrow(message);
  return requests;
}

const WIDE = Array.from({ length: 1_000 }, (_, index) => listOf(sha256(String(index))));

test.each<[string, () => [string, ...string[]], RegExp]>([
  ['that nest a thousand levels', chain, /is a list of images that leads to another list$/],
  ['of which one has a thousand others', () => [listOf(...WIDE.map(sha256)), ...WIDE], /leads to another list$/],
  ['that lead to themselves, as the registry says', () => [listOf(sha256('loop'))], /other content than its digest/],
])('lists of images %s end after two requests', async (_title, manifests, message) => {
  expect(await requestsFor(manifests(), message)).toBe(2);
});

const CHARTS = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' } as const;

test.each<[string, string, OCIRepository['spec']['layerSelector'], RegExp]>([
  ['of charts have build metadata behind _', '109.x', CHARTS, /manifests\/109\.0\.1_up1\.0\.2: /],
  ['of charts are compared as versions', '*', CHARTS, /manifests\/109\.0\.1_up1\.0\.2: /],
  ['of anything else do not', '*', undefined, /manifests\/108\.0\.0: /],
])('tags %s', async (_title, semver, layerSelector, asked) => {
  server = await listen(
    createServer(({ url = '' }, response) => {
      if (url.includes('/tags/list')) response.end(JSON.stringify({ tags: ['108.0.0', '109.0.1_up1.0.2'] }));
      else response.writeHead(404).end();
    }),
  );
  const offload: Pick<Offload, 'run'> = { run: async (task, input) => await task.run(input) };
  const url = `oci://127.0.0.1:${server.address.port}/app`;
  const spec = { interval: '1m', url, insecure: true, ref: { semver }, layerSelector };
  const repository = { metadata: { name: 'app', namespace: 'shop' }, spec } as OCIRepository;
  const deps = { offload, proxies: {} } as unknown as Deps; // no more of them is asked for
  const context = { signal: new AbortController().signal } as PassContext;
  await expect(fetchOciRepository(deps, repository, context)).rejects.toThrow(asked);
});
