import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Deps } from '#controllers/source/deps.js';
import { findRegistryChart } from '#controllers/source/helmchart/pull.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { createLru } from '#lib/lru.js';
import { sha256 } from '../../../support/oci.js';

const LAYER = 'chart';
const MANIFEST = JSON.stringify({
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: sha256('{}'), size: 2 },
  layers: [
    {
      mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
      digest: sha256(LAYER),
      size: LAYER.length,
    },
  ],
});

let dir: string;
let server: Listening;
/** How often the chart itself was asked for. */
let pulls: number;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'from-registry-'));
  pulls = 0;
  server = await listen(
    createServer(({ url = '', method }, response) => {
      if (url.includes('/blobs/')) {
        pulls += 1;
        return void response.end(LAYER);
      }
      response.setHeader('content-type', 'application/vnd.oci.image.manifest.v1+json');
      response.setHeader('docker-content-digest', sha256(MANIFEST));
      response.end(method === 'HEAD' ? undefined : MANIFEST);
    }),
  );
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true });
});

test('a chart that one namespace pulled without a login is pulled again for another one, and from another place', async () => {
  const offload: Pick<Offload, 'run'> = { run: async (task, input) => await task.run(input) };
  const archives = createLru<Buffer>(1_000, ({ length }) => length);
  const deps = { offload, archives, proxies: {} } as unknown as Deps; // no more of them is asked for
  const pull = async (namespace: string, place: string): Promise<string> => {
    const url = `oci://127.0.0.1:${server.address.port}/${place}`;
    const kind = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };
    const repository = {
      ...kind,
      metadata: { name: '', namespace },
      spec: { url, type: 'oci' as const, insecure: true },
    };
    const wanted = { chart: 'web', version: '1.0.0', fields: { chart: 'name', version: 'version' } };
    const file = path.join(dir, 'web.tgz');
    await (await findRegistryChart(deps, wanted, repository, new AbortController().signal)).save(file);
    return readFile(file, 'utf8');
  };
  expect([await pull('one', 'a'), await pull('one', 'a')]).toEqual([LAYER, LAYER]);
  expect(pulls).toBe(1);
  await pull('two', 'a');
  expect(pulls).toBe(2);
  await pull('one', 'b');
  expect(pulls).toBe(3);
});
