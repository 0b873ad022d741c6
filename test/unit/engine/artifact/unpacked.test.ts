import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { packDirectory } from '#engine/artifact/archive.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { createUnpackedArtifacts } from '#engine/artifact/unpacked.js';

let dir: string;
let store: ArtifactStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'unpacked-'));
  store = createArtifactStore({ root: join(dir, 'store'), baseUrl: 'http://127.0.0.1' });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function artifactOf(name: string): Promise<Artifact> {
  const folder = join(dir, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'name'), name);
  const owner = { kind: 'gitrepository', namespace: 'team', name };
  return store.put(owner, 'a.tar.gz', 'r1', (file) => packDirectory(folder, file));
}

test('readers at the same time, and later ones, share one folder', async () => {
  const unpacked = createUnpackedArtifacts(store);
  const artifact = await artifactOf('fleet');
  const read = (folder: string): Promise<string[]> =>
    readFile(join(folder, 'name'), 'utf8').then((text) => [folder, text]);
  const [first, second] = await Promise.all([unpacked.use(artifact, read), unpacked.use(artifact, read)]);
  expect(first).toEqual([expect.any(String), 'fleet']);
  expect([second, await unpacked.use(artifact, read)]).toEqual([first, first]);
});

test('a folder that is too much is removed once nobody reads it', async () => {
  const unpacked = createUnpackedArtifacts(store, 0);
  const folder = await unpacked.use(await artifactOf('fleet'), async (path) => {
    await unpacked.use(await artifactOf('other'), () => Promise.resolve());
    expect(existsSync(path)).toBe(true);
    return path;
  });
  expect(existsSync(folder)).toBe(false);
});

test('an artifact that was lost is unpacked when it is back', async () => {
  const unpacked = createUnpackedArtifacts(store);
  const artifact = await artifactOf('fleet');
  await store.remove({ kind: 'gitrepository', namespace: 'team', name: 'fleet' });
  const read = (): Promise<string> => unpacked.use(artifact, (folder) => readFile(join(folder, 'name'), 'utf8'));
  await expect(read()).rejects.toThrow('is not in the store');
  await artifactOf('fleet');
  expect(await read()).toBe('fleet');
});
