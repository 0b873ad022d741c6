import type { Artifact } from '#api/flux/common.js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArtifactStore } from '#controllers/engine/artifact/store.js';
import type { ArtifactStore } from '#controllers/engine/artifact/types.js';

const owner = { kind: 'gitrepository', namespace: 'shop', name: 'web' };
const PATH = 'gitrepository/shop/web/a.tar.gz';
let root: string;
let store: ArtifactStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'store-'));
  store = createArtifactStore({ root, baseUrl: 'http://files.example/' });
});
afterEach(() => rm(root, { recursive: true, force: true }));

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function put(text: string, fileName = 'a.tar.gz'): Promise<Artifact> {
  return store.put(owner, fileName, 'main@sha1:1', (path) => writeFile(path, text));
}

/** Files and folders that wait for their end; none may stay behind. */
async function work(): Promise<string[]> {
  return readdir(join(root, '.work'));
}

test('what is put is described and found', async () => {
  const artifact = await put('one');
  expect(artifact).toEqual({
    path: PATH,
    url: `http://files.example/${PATH}`,
    revision: 'main@sha1:1',
    digest: digestOf('one'),
    lastUpdateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    size: 3,
  });
  expect(await readFile((await store.locate(artifact)) ?? '', 'utf8')).toBe('one');
  expect(await work()).toEqual([]);
});

test('the same bytes keep the file and its time, others replace it', async () => {
  await put('one');
  await utimes(join(root, PATH), 1_000, 1_000);
  const { ino } = await stat(join(root, PATH));
  expect((await put('one')).lastUpdateTime).toBe('1970-01-01T00:16:40Z');
  expect((await stat(join(root, PATH))).ino).toBe(ino);
  expect((await put('two')).digest).toBe(digestOf('two'));
  expect(await store.locate({ path: PATH, digest: digestOf('one') })).toBeUndefined();
});

test('a writer that fails leaves nothing, and what was there stays', async () => {
  const artifact = await put('one');
  const failing = store.put(owner, 'a.tar.gz', 'r', async (path) => {
    await writeFile(path, 'half');
    throw new Error('no space');
  });
  await expect(failing).rejects.toThrow('no space');
  expect(await store.locate(artifact)).toBe(join(root, PATH));
  expect(await work()).toEqual([]);
});

test('a writer that writes nothing is an error', async () => {
  await expect(store.put(owner, 'a.tar.gz', 'r', () => Promise.resolve())).rejects.toThrow(/ENOENT/);
});

test('many may put the same file at once', async () => {
  const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`);
  const artifacts = await Promise.all(texts.map((text) => put(text)));
  const last = await readFile(join(root, PATH), 'utf8');
  expect(artifacts.map(({ digest }) => digest)).toEqual(texts.map(digestOf));
  expect(texts).toContain(last);
  expect(await store.locate({ path: PATH, digest: digestOf(last) })).toBe(join(root, PATH));
});

describe('a stored file', () => {
  test('that is damaged is not found, and is mended by the next put', async () => {
    const artifact = await put('one');
    await store.locate(artifact);
    await writeFile(join(root, PATH), 'eno');
    expect(await store.locate(artifact)).toBeUndefined();
    await put('one');
    expect(await store.locate(artifact)).toBe(join(root, PATH));
  });

  test.each(['missing', 'a folder', 'a link'])('that is %s is not found', async (what) => {
    const artifact = await put('one');
    await rename(join(root, PATH), join(root, 'moved'));
    if (what === 'a folder') await mkdir(join(root, PATH));
    if (what === 'a link') await symlink(join(root, 'moved'), join(root, PATH));
    expect(await store.locate(artifact)).toBeUndefined();
  });

  test('is found by another process with the same folder', async () => {
    const artifact = await put('one');
    const other = createArtifactStore({ root, baseUrl: 'http://other' });
    expect(await other.locate(artifact)).toBe(join(root, PATH));
  });
});

describe('outside of the store', () => {
  test.each([
    '../../../etc/passwd',
    'gitrepository/shop/web/../../../../etc/passwd',
    '/etc/passwd',
    'a/b/c',
    'a/b/c/d/e',
    'a/b/c/..',
    'a/b//d',
    '.work/b/c/d',
    'a\\b/c/d/e',
    'a/b/c/d\0',
    '',
  ])('nothing is found: %j', async (path) => {
    expect(await store.locate({ path, digest: digestOf('one') })).toBeUndefined();
  });

  test.each(['../a', '..', '.hidden', 'a/b', 'a\\b', '', 'a\0b', ' a', 'a'.repeat(254)])(
    'nothing is written: %j',
    async (name) => {
      const rejection = { reason: 'ArtifactPathInvalid' };
      await expect(put('one', name)).rejects.toMatchObject(rejection);
      await expect(store.remove({ ...owner, name })).rejects.toMatchObject(rejection);
      await expect(store.collect({ ...owner, namespace: name }, [])).rejects.toMatchObject(rejection);
    },
  );
});

describe('what is old', () => {
  const path = (name: string): string => `gitrepository/shop/web/${name}`;

  async function putAll(): Promise<void> {
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      await put(name, name);
      await utimes(join(root, path(name)), index, index);
    }
  }

  test('goes, but for what is kept and the newest', async () => {
    await putAll();
    await store.collect(owner, [path('a')]);
    expect((await readdir(join(root, path('')))).sort()).toEqual(['a', 'c']);
  });

  test('of others stays', async () => {
    await putAll();
    await store.put({ ...owner, name: 'web2' }, 'x', 'r', (file) => writeFile(file, 'x'));
    await store.remove(owner);
    expect(await readdir(join(root, 'gitrepository/shop'))).toEqual(['web2']);
    expect(await store.locate({ path: path('a'), digest: digestOf('a') })).toBeUndefined();
  });

  test('of an owner that has nothing is nothing', async () => {
    await store.collect(owner, []);
    await store.remove(owner);
  });
});

describe('a crash', () => {
  test('leaves temporary files that the next store removes, and no artifact', async () => {
    const artifact = await put('one');
    await writeFile(join(root, '.work', 'half-written'), 'ha');
    await mkdir(join(root, '.work', 'clone-abc'));
    const next = createArtifactStore({ root, baseUrl: 'http://files.example' });
    const scratch = await next.scratch('clone');
    expect(await work()).toEqual([scratch.path.slice(join(root, '.work/').length)]);
    expect(await next.locate(artifact)).toBe(join(root, PATH));
  });

  test('of nobody: what this store works on stays', async () => {
    const first = await store.scratch('one');
    const second = await store.scratch('two');
    await put('one');
    expect(await work()).toHaveLength(2);
    await Promise.all([first.dispose(), second.dispose()]);
    expect(await work()).toEqual([]);
  });
});

test('a scratch folder cannot be placed elsewhere, and is private', async () => {
  const { path } = await store.scratch('../../a b');
  expect(path.startsWith(join(root, '.work/'))).toBe(true);
  expect((await stat(path)).mode & 0o077).toBe(0);
});
