import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { GitError } from '#controllers/source/git/git-error.js';
import { Mirrors, type Mirror } from '#controllers/source/git/mirrors.js';

const PATIENCE = 60_000;
const LIMITS = { maxBytes: 100, maxPacks: 2, maxMirrors: 2, minFreeBytes: 0 };
let root: string;
let store: ArtifactStore;
let mirrors: Mirrors;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'fairlead-mirrors-'));
  store = createArtifactStore({ root, baseUrl: 'http://127.0.0.1' });
  mirrors = new Mirrors(store, LIMITS);
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function receivePack({ folder }: Mirror, name: string, bytes: number): Promise<void> {
  const packs = path.join(folder, 'objects', 'pack');
  await mkdir(packs, { recursive: true });
  await writeFile(path.join(packs, `${name}.pack`), Buffer.alloc(bytes));
}

/** Uses a mirror, and returns its folder. */
function use(key: string, talk: (mirror: Mirror) => Promise<unknown> = () => Promise.resolve()): Promise<string> {
  return mirrors.use(key, PATIENCE, { talk, read: (mirror) => Promise.resolve(mirror.folder) });
}

/** A promise and what resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

test('one key has one mirror, which one pass at a time talks for', async () => {
  const said: string[] = [];
  const talk = async (name: string): Promise<void> => {
    said.push(`${name} begins`);
    await new Promise(setImmediate);
    said.push(`${name} ends`);
  };
  const folders = await Promise.all([use('a', () => talk('one')), use('a', () => talk('two'))]);
  expect(new Set(folders).size).toBe(1);
  expect(said).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
});

test('another identity has another mirror', async () => {
  expect(await use('a')).not.toBe(await use('b'));
});

test('a pass that waited long enough gets a mirror of its own, which goes with it', async () => {
  const { opened, open } = gate();
  const slow = use('a', () => opened);
  const own = await mirrors.use('a', 1, {
    talk: () => Promise.resolve(),
    read: (mirror) => Promise.resolve(mirror.folder),
  });
  open();
  expect(own).not.toBe(await slow);
  expect(existsSync(own)).toBe(false);
});

/** What git says when an object is not in the repository. */
function lost(repository: string): GitError {
  return new GitError('lost', { stderr: 'fatal: bad object 0976950', repository });
}

test('a mirror stays after a failure, without what was received by half', async () => {
  const fail = async (mirror: Mirror): Promise<void> => {
    await receivePack(mirror, 'whole', 1);
    await receivePack(mirror, 'tmp_pack_a', 1);
    throw new Error('early EOF');
  };
  const before = await use('a');
  await expect(use('a', fail)).rejects.toThrow('early EOF');
  expect(await use('a')).toBe(before);
  expect(await readdir(path.join(before, 'objects', 'pack'))).toEqual(['whole.pack']);
});

test.each([
  ['talks', (mirror: Mirror) => Promise.reject(lost(mirror.folder)), () => Promise.resolve()],
  ['reads', () => Promise.resolve(), (mirror: Mirror) => Promise.reject(lost(mirror.folder))],
])('a mirror that lost objects goes when git finds that out as it %s', async (_title, talk, read) => {
  const before = await use('a');
  await expect(mirrors.use<unknown, unknown>('a', PATIENCE, { talk, read })).rejects.toThrow('lost');
  expect(existsSync(before)).toBe(false);
  expect(await use('a')).not.toBe(before);
});

test('a mirror stays when another one lost objects', async () => {
  const before = await use('a');
  const read = (): Promise<void> => Promise.reject(lost('/of/a/submodule'));
  const talk = (): Promise<void> => Promise.resolve();
  await expect(mirrors.use('a', PATIENCE, { talk, read })).rejects.toThrow('lost');
  expect(await use('a')).toBe(before);
});

test('a failure on a full disk makes room: what nobody uses goes', async () => {
  mirrors = new Mirrors(store, { ...LIMITS, minFreeBytes: Number.MAX_SAFE_INTEGER });
  const unused = await use('a', (mirror) => receivePack(mirror, 'p', 1));
  expect(existsSync(unused)).toBe(true);
  await expect(use('b', () => Promise.reject(new Error('no space')))).rejects.toThrow('no space');
  expect(existsSync(unused)).toBe(false);
});

test('what another pass still reads stays until its end', async () => {
  const { opened, open } = gate();
  const { opened: reached, open: reach } = gate();
  const reader = mirrors.use('a', PATIENCE, {
    talk: () => Promise.resolve(),
    read: async ({ folder }) => {
      reach();
      await opened;
      return { folder, isThere: existsSync(folder) };
    },
  });
  await reached;
  await use('a', (mirror) => Promise.resolve((mirror.isRetired = true)));
  open();
  const { folder, isThere } = await reader;
  expect(isThere).toBe(true);
  expect(existsSync(folder)).toBe(false);
});

test('what was not used for longest makes room', async () => {
  const [first, second] = [await use('a', (mirror) => receivePack(mirror, 'p', 60)), await use('b')];
  await use('b', (mirror) => receivePack(mirror, 'p', 60));
  expect([first, second].map((folder) => existsSync(folder))).toEqual([false, true]);
  await use('c');
  await use('d');
  expect(existsSync(second)).toBe(false);
});

test('a mirror of many packs starts again', async () => {
  const first = await use('a', (mirror) => receivePack(mirror, 'p1', 1));
  await use('a', (mirror) => receivePack(mirror, 'p2', 1));
  expect(existsSync(first)).toBe(true);
  await use('a', (mirror) => receivePack(mirror, 'p3', 1));
  expect(existsSync(first)).toBe(false);
});
