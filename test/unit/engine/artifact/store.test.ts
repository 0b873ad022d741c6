import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { onDisk } from '#engine/artifact/disk-error.js';
import { createArtifactStore, type ArtifactStoreOptions } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { defaultQuotaBytes } from '#engine/artifact/usage.js';

const owner = { kind: 'gitrepository', namespace: 'shop', name: 'web' };
const PATH = 'gitrepository/shop/web/a.tar.gz';
let root: string;
let store: ArtifactStore;

let nowMs: number;

function open(options: Partial<ArtifactStoreOptions>): ArtifactStore {
  return createArtifactStore({ root, baseUrl: 'http://files.example/', nowMs: () => nowMs, ...options });
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'store-'));
  nowMs = 0;
  store = open({});
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

/** What is stored, each content once. */
async function contents(): Promise<string[]> {
  return readdir(join(root, '.content'));
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

test('the same bytes keep the file, others replace it', async () => {
  await put('one');
  const { ino } = await stat(join(root, PATH));
  await put('one');
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
  test('that is damaged is not found, and is written again by the next put', async () => {
    const artifact = await put('one');
    await store.locate(artifact);
    await writeFile(join(root, PATH), 'torn');
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

describe('what was replaced', () => {
  const path = (name: string): string => `gitrepository/shop/web/${name}`;
  const files = async (): Promise<string[]> => (await readdir(join(root, path('')))).sort();

  /** Puts a file and collects as a pass does that wrote it to the status. */
  async function replaceBy(name: string): Promise<void> {
    await put(name, name);
    await store.collect(owner, [path(name)]);
  }

  test('stays for a minute, one file of it, whatever the status named before', async () => {
    await replaceBy('a');
    await replaceBy('b');
    expect(await files()).toEqual(['a', 'b']);
    nowMs += 1;
    await replaceBy('c');
    expect(await files()).toEqual(['b', 'c']);
    nowMs += 59_999;
    await replaceBy('c');
    expect(await files()).toEqual(['b', 'c']);
    nowMs += 1;
    await replaceBy('c');
    expect(await files()).toEqual(['c']);
    expect(await contents()).toHaveLength(1);
  });

  test('and is named again, stays', async () => {
    await replaceBy('a');
    await replaceBy('b');
    await replaceBy('a');
    nowMs += 60_000;
    await replaceBy('a');
    expect(await files()).toEqual(['a']);
  });

  test('by a process before this one stays for a minute, too', async () => {
    await put('a', 'a');
    await put('b', 'b');
    store = open({});
    await store.collect(owner, [path('b')]);
    expect(await files()).toEqual(['a', 'b']);
  });

  test('of others stays', async () => {
    await put('a', 'a');
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

describe('equal content', () => {
  const others = ['web', 'api', 'db'].map((name) => ({ ...owner, name }));
  const putFor = (each: typeof owner, text: string): Promise<Artifact> =>
    store.put(each, 'a', 'r', (file) => writeFile(file, text));

  test('of several owners is on the disk once, until the last one is gone', async () => {
    const artifacts = await Promise.all(others.map((each) => putFor(each, 'shared')));
    const inodes = await Promise.all(artifacts.map(async ({ path }) => (await stat(join(root, path))).ino));
    expect(new Set(inodes).size).toBe(1);
    for (const [index, each] of others.entries()) {
      expect(await contents()).toHaveLength(1);
      await store.remove(each);
      for (const later of artifacts.slice(index + 1)) expect(await store.locate(later)).toBeDefined();
    }
    expect(await contents()).toEqual([]);
  });

  test('of many owners that go at once is gone with the last one', async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...owner, name: `web-${index}` }));
    for (const [index, each] of many.entries()) {
      await store.put(each, 'a.tar.gz', '1', (file) => writeFile(file, `content ${index % 10}`));
    }
    expect(await contents()).toHaveLength(10);
    expect(await store.owners()).toHaveLength(100);
    await Promise.all(many.map((each) => store.remove(each)));
    expect(await contents()).toEqual([]);
    expect(await store.owners()).toEqual([]);
  });

  test('that is damaged is written again for the one who fetches, and lost for the others until they do', async () => {
    const [web, api] = await Promise.all(others.slice(0, 2).map((each) => putFor(each, 'shared')));
    await writeFile(join(root, web?.path ?? ''), 'torn');
    expect(await store.locate(web as Artifact)).toBeUndefined(); // both were put
    await putFor(others[0] as typeof owner, 'shared'); // one of three
    expect(await store.locate(web as Artifact)).toBeDefined(); // as above
    expect(await store.locate(api as Artifact)).toBeUndefined(); // as above
  });

  test('is not lost between an owner that comes and one that goes', async () => {
    const rounds = Array.from({ length: 30 }, (_, index) => ({ ...owner, name: `n${index}` }));
    const artifacts = await Promise.all(
      rounds.map(async (each, index) => {
        const artifact = await putFor(each, 'shared');
        if (index % 2 === 0) await store.remove(each);
        return artifact;
      }),
    );
    const found = await Promise.all(artifacts.map((artifact) => store.locate(artifact)));
    expect(found.map((file) => file !== undefined)).toEqual(rounds.map((_, index) => index % 2 === 1));
  });
});

describe('no room', () => {
  const kilobyte = 'x'.repeat(1_000);
  const putFor = (namespace: string, text: string): Promise<Artifact> =>
    store.put({ ...owner, namespace }, 'a', 'r', (file) => writeFile(file, text));
  const full = { name: 'TransientError', reason: 'StorageOperationFailed' };

  test('a quota refuses what is too much for the store or for one namespace, and nothing else', async () => {
    store = open({ quotaBytes: 3_900 });
    const first = await putFor('one', `${kilobyte}1`);
    await expect(putFor('one', `${kilobyte}${kilobyte}`)).rejects.toMatchObject(full);
    await putFor('two', `${kilobyte}2`);
    await putFor('three', `${kilobyte}3`);
    await expect(putFor('four', `${kilobyte}4`)).rejects.toMatchObject(full);
    expect(await store.locate(first)).toBeDefined();
    expect((await putFor('four', `${kilobyte}3`)).size).toBe(1_001);
    expect(await work()).toEqual([]);
  });

  test('of a namespace that had more than its share before keeps what it has, and replaces it', async () => {
    const before = await putFor('one', `${kilobyte.repeat(4)}1`);
    store = open({ quotaBytes: 4_000 });
    expect(await store.locate(before)).toBeDefined();
    const smaller = await putFor('one', `${kilobyte.repeat(4)}2`);
    expect(await store.locate(smaller)).toBeDefined();
    await expect(putFor('one', `${kilobyte.repeat(4)}33`)).rejects.toMatchObject(full);
    const other = { ...owner, namespace: 'one', name: 'api' };
    await expect(store.put(other, 'a', 'r', (file) => writeFile(file, 'new'))).rejects.toMatchObject(full);
    expect(await store.locate(smaller)).toBeDefined();
  });

  test('a quota is by default a part of the volume, and none where there is no such folder', async () => {
    const { blocks, bsize } = await statfs(root);
    const quota = await defaultQuotaBytes(root);
    expect(quota).toBeGreaterThan(0);
    expect(quota).toBeLessThan(blocks * bsize);
    expect(await defaultQuotaBytes(join(root, 'missing'))).toBeUndefined();
  });

  test('what was replaced makes room', async () => {
    store = open({ quotaBytes: 4_004 });
    await put(`${kilobyte}1`, 'a');
    await put(kilobyte, 'b');
    await store.collect(owner, ['gitrepository/shop/web/b']);
    await store.put({ ...owner, name: 'api' }, 'c', 'r', (file) => writeFile(file, `${kilobyte}3`));
    expect(await readdir(join(root, 'gitrepository/shop/web'))).toEqual(['b']);
  });

  test('of one namespace costs the others nothing', async () => {
    store = open({ quotaBytes: 10_000 });
    const old = await put(`${kilobyte}1`, 'a');
    const live = await put(`${kilobyte}2`, 'b');
    await store.collect(owner, [live.path]);
    await expect(putFor('two', kilobyte.repeat(6))).rejects.toMatchObject(full);
    expect(await store.locate(old)).toBeDefined();
    expect(await store.locate(live)).toBeDefined(); // as before
  });

  test('does not remove what was replaced and is put again, before a status names it', async () => {
    store = open({ quotaBytes: 10_000 });
    const first = await put(`${kilobyte}1`, 'a');
    await store.collect(owner, [first.path]);
    await store.collect(owner, [(await put(`${kilobyte}2`, 'b')).path]);
    await put(`${kilobyte}1`, 'a');
    await expect(putFor(owner.namespace, kilobyte.repeat(6))).rejects.toMatchObject(full);
    expect(await store.locate(first)).toBeDefined();
  });

  test('an artifact that fits can be replaced by one of its size, again and again', async () => {
    store = open({ quotaBytes: 10_000 });
    for (const name of ['a', 'b', 'c', 'd']) {
      const { path } = await put(name.repeat(4_500), name);
      await store.collect(owner, [path]);
    }
    expect(await readdir(join(root, 'gitrepository/shop/web'))).toEqual(['c', 'd']);
  });

  test('content that nothing leads to after a crash makes room', async () => {
    await put('one');
    await writeFile(join(root, '.content', 'left'), 'left');
    store = open({});
    await expect(store.put(owner, 'c', 'r', () => writeFile('/dev/full', 'content'))).rejects.toMatchObject(full);
    expect(await contents()).toEqual([digestOf('one').replace('sha256:', '')]);
  });

  test('a file that is too large for the disk removes nothing', async () => {
    const old = await put('one', 'a');
    await store.collect(owner, [(await put('two', 'b')).path]);
    const tooLarge = Object.assign(new Error('file too large'), { code: 'EFBIG' });
    await expect(store.put(owner, 'c', 'r', () => Promise.reject(tooLarge))).rejects.toMatchObject(full);
    expect(await store.locate(old)).toBeDefined();
  });

  test('an archive that does not fit where it is unpacked makes room, too', async () => {
    const old = await put('one', 'a');
    await store.collect(owner, [(await put('two', 'b')).path]);
    const unpacking = (): Promise<void> => onDisk(() => writeFile('/dev/full', 'content'));
    await expect(store.put(owner, 'c', 'r', unpacking)).rejects.toMatchObject(full);
    expect(await store.locate(old)).toBeUndefined();
  });

  test('a full disk is a clear error that is retried, and leaves what is stored', async () => {
    const artifact = await put('one');
    await put('two', 'b');
    await store.collect(owner, ['gitrepository/shop/web/b']);
    const failing = store.put(owner, 'c', 'r', () => writeFile('/dev/full', 'content'));
    await expect(failing).rejects.toMatchObject({ ...full, message: expect.stringMatching(/^no space is left/) });
    expect(await store.locate(artifact)).toBeUndefined();
    expect(await readdir(join(root, 'gitrepository/shop/web'))).toEqual(['b']);
    expect(await work()).toEqual([]);
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
