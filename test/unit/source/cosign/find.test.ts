import { createServer } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { findSignatures, type Findings } from '#controllers/source/cosign/find.js';
import { Registry } from '#controllers/source/oci/registry.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { sha256 } from '../../../support/oci.js';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const DIGEST = sha256('signed');
const bundle = '{}';
const manifest = JSON.stringify({ layers: [{ mediaType: BUNDLE, digest: sha256(bundle), size: bundle.length }] });
const entry = { mediaType: 'm', digest: sha256(manifest), size: manifest.length, artifactType: BUNDLE };
const index = JSON.stringify({ manifests: [entry] });
let server: Listening | undefined;

afterEach(() => server?.close());

/** In a registry that answers oddly when it is asked for referrers, and keeps a bundle under the tag of clients. */
async function findingsWith(status: number, body: string): Promise<Findings> {
  const kept: Readonly<Record<string, string>> = {
    [`manifests/${DIGEST.replace(':', '-')}`]: index,
    [`manifests/${sha256(manifest)}`]: manifest,
    [`blobs/${sha256(bundle)}`]: bundle,
  };
  server = await listen(
    createServer(({ url = '' }, response) => {
      const place = url.replace('/v2/app/', '');
      if (place === `referrers/${DIGEST}`) return response.writeHead(status).end(body);
      return response.writeHead(kept[place] === undefined ? 404 : 200).end(kept[place]);
    }),
  );
  const registry = new Registry({
    repository: { host: `127.0.0.1:${server.address.port}`, name: 'app' },
    ...{ insecure: true, login: undefined, tls: undefined, proxies: {} },
    ...{ timeoutMs: 100_000, signal: new AbortController().signal, reason: 'OCIArtifactPullFailed' },
  });
  return findSignatures({
    registry,
    tenant: 'tenant',
    digest: DIGEST,
    offload: { run: async (task, input) => task.run(input) },
  });
}

test.each([
  ['no such API', 404, '', 0],
  ['a page for browsers', 200, '<html>', 0],
  ['a map that is no index', 200, '{"errors":[]}', 0],
  ['a redirect to nowhere', 302, '', 1],
  ['a refusal', 403, '', 1],
  ['too many requests', 429, '', 1],
])('what clients keep under a tag is found behind %s', async (_title, status, body, problems) => {
  const found = await findingsWith(status, body);
  expect(found.signatures).toEqual([{ kind: 'bundle', text: bundle }]);
  expect(found.problems).toHaveLength(problems);
});

test('of 1,000 bundles only the first are fetched', async () => {
  const entries = Array.from({ length: 1_000 }, () => entry);
  expect((await findingsWith(200, JSON.stringify({ manifests: entries }))).signatures).toHaveLength(50);
});

test('an index of the registry is enough', async () => {
  expect((await findingsWith(200, '{"manifests":[]}')).signatures).toEqual([]);
});
