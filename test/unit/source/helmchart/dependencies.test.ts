import { createServer } from 'node:http';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { create } from 'tar';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Deps } from '#controllers/source/deps.js';
import { addDependencies } from '#controllers/source/helmchart/dependencies.js';
import { remoteCharts } from '#controllers/source/helmchart/remote-charts.js';
import type { HelmRepository } from '#controllers/source/model/source.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { createLru } from '#lib/lru.js';

const MEBIBYTE = 1024 * 1024;

let dir: string;
let server: Listening;
/** Bytes of the comment in an index. */
let padding: number;
/** With stored indexes. */
let store: ArtifactStore;
let repositories: HelmRepository[];
/** Bytes in scratch when an index was asked for. */
let scratch: number[];

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function indexText(): string {
  const entry = (name: string): string => `  ${name}: [{name: ${name}, version: 1.0.0, urls: [${name}.tgz]}]\n`;
  return `#${'x'.repeat(padding)}\napiVersion: v1\nentries:\n${['a', 'b', 'c', 'd'].map(entry).join('')}`;
}

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'dependencies-'));
  await mkdir(path.join(dir, 'work'));
  [padding, scratch, repositories] = [0, [], []];
  store = createArtifactStore({ root: path.join(dir, 'store'), baseUrl: 'http://127.0.0.1', nowMs: () => 0 });
  server = await listen(
    createServer(({ url = '' }, response) => {
      if (!url.endsWith('/index.yaml')) return void response.end('chart');
      void bytesIn(path.join(dir, 'work')).then((bytes) => {
        scratch.push(bytes);
        response.setHeader('content-encoding', 'gzip').end(gzipSync(indexText()));
      });
    }),
  );
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true });
});

/** Adds to a chart what it depends on; each dependency is NAME at PATH of the server. */
async function add(
  dependencies: readonly (readonly [string, string])[],
  signal = new AbortController().signal,
): Promise<string[]> {
  const origin = `http://127.0.0.1:${server.address.port}`;
  const list = dependencies.map(([name, at]) => ({ name, version: '1.0.0', repository: `${origin}/${at}` }));
  const chart = { name: 'app', version: '1.0.0', path: path.join(dir, 'tree', 'app') };
  await mkdir(chart.path, { recursive: true });
  await writeFile(path.join(chart.path, 'Chart.yaml'), JSON.stringify({ ...chart, dependencies: list }));
  const offload: Pick<Offload, 'run'> = { run: async (task, input) => await task.run(input) };
  const deps = {
    offload,
    proxies: {},
    archives: createLru<Buffer>(MEBIBYTE, ({ length }) => length),
    repositories: { helm: { list: (): HelmRepository[] => repositories } },
    store,
  } as unknown as Deps; // no more of them is asked for
  const umbrella = { deps, namespace: 'shop', root: path.join(dir, 'tree'), work: path.join(dir, 'work') };
  await addDependencies({ ...umbrella, remote: remoteCharts(deps, umbrella), signal }, chart);
  return readdir(path.join(chart.path, 'charts'));
}

test('an index is asked for once, and is gone before the next one comes', async () => {
  const added = await add([
    ['a', 'one'],
    ['b', 'two'],
    ['c', 'one'],
  ]);
  expect(added).toHaveLength(3);
  expect(scratch).toEqual([0, 0]);
  expect(await bytesIn(path.join(dir, 'work'))).toBe(0);
});

test('indexes are limited all together', async () => {
  padding = 22 * MEBIBYTE;
  await expect(
    add([
      ['a', 'one'],
      ['b', 'two'],
      ['c', 'three'],
      ['d', 'four'],
    ]),
  ).rejects.toMatchObject({
    reason: 'DependencyBuildError',
    message: expect.stringMatching(/^cannot add the dependency "c" .*: the indexes of .* more than 67108864 bytes/),
  });
  expect(await bytesIn(path.join(dir, 'work'))).toBe(0);
});

/** Packaged charts in charts/, by name, with so many bytes beside their Chart.yaml. */
async function vendor(charts: Record<string, number>): Promise<void> {
  const target = path.join(dir, 'tree', 'app', 'charts');
  await mkdir(target, { recursive: true });
  for (const [name, bytes] of Object.entries(charts)) {
    const source = path.join(dir, 'charts', name);
    await mkdir(source, { recursive: true });
    await writeFile(path.join(source, 'values'), Buffer.alloc(bytes, '#'));
    await writeFile(path.join(source, 'Chart.yaml'), `name: ${name}\nversion: 1.0.0\n`);
    await create({ gzip: true, cwd: path.dirname(source), file: path.join(target, `${name}.tgz`) }, [name]);
  }
}

test('a packaged chart in charts/ is not added again, and what is none is for helm', async () => {
  await vendor({ a: 10 });
  await writeFile(path.join(dir, 'tree', 'app', 'charts', 'broken.tgz'), 'nonsense');
  const added = await add([
    ['a', 'one'],
    ['b', 'one'],
  ]);
  expect(added).toEqual(expect.arrayContaining(['a.tgz', 'broken.tgz']));
  expect(added).toHaveLength(3);
});

test('the archives in charts/ are limited all together', async () => {
  await vendor({ a: 12 * MEBIBYTE, b: 12 * MEBIBYTE, c: 12 * MEBIBYTE });
  await expect(add([['d', 'one']])).rejects.toMatchObject({
    reason: 'DependencyBuildError',
    message: "chart 'app' has archives in charts/ with more than 33554432 bytes unpacked",
  });
});

test('charts/ is not read for a pass that has ended', async () => {
  await vendor({ a: 10 });
  await expect(add([['a', 'one']], AbortSignal.abort())).rejects.toThrow(/abort/);
});

/** A HelmRepository at `/one`, whose spec is of this generation, and whose index was stored for the first. */
async function repositoryOf(generation: number): Promise<HelmRepository> {
  const owner = { kind: 'helmrepository', namespace: 'shop', name: 'one' };
  const artifact = await store.put(owner, 'index.json', 'sha256:x', (file) =>
    writeFile(
      file,
      JSON.stringify({ apiVersion: 'v1', entries: { a: [{ name: 'a', version: '1.0.0', urls: ['a.tgz'] }] } }),
    ),
  );
  const url = `http://127.0.0.1:${server.address.port}/one`;
  const condition = { type: 'ArtifactInStorage', status: 'True', reason: 'Succeeded', message: '' } as const;
  const conditions = [{ ...condition, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const kind = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };
  const metadata = { name: 'one', namespace: 'shop', uid: 'x', generation };
  return { ...kind, metadata, spec: { url }, status: { observedGeneration: generation, artifact, conditions } };
}

test.each([
  ['the stored index of a HelmRepository is used', 1, 0],
  ['an index that was stored for another spec of a HelmRepository is not used', 2, 1],
])('%s', async (_title, generation, downloads) => {
  repositories = [await repositoryOf(generation)];
  expect(await add([['a', 'one']])).toHaveLength(1);
  expect(scratch).toHaveLength(downloads);
});
