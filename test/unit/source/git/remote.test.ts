import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createArtifactStore } from '#engine/artifact/store.js';
import { run } from '#engine/process/run.js';
import { createGit } from '#controllers/source/git/git.js';
import { Server } from '#controllers/source/git/server.js';
import { Mirrors, type Mirror } from '#controllers/source/git/mirrors.js';
import { lookUp, obtain, type Remote } from '#controllers/source/git/remote.js';
import { checkOut } from '#controllers/source/git/tree.js';
import type { GitTarget } from '#controllers/source/git/model/reference.js';
import { runCommand } from '#sandbox/command.js';
import { startGitServer } from '#sandbox/git-server.js';
import { commitFiles, gitEnvironment, seedRepository } from '#sandbox/servers/git-repository.js';
import type { HttpServer } from '#sandbox/world/ports.js';

const MAIN: GitTarget = { kind: 'branch', branch: 'main' };
/** Of a server that gives only what references name. */
const OLD_PROTOCOL = { 'protocol.version': '0' };

let root: string;
let server: HttpServer;
let mirror: Mirror;
let controller: AbortController;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'fairlead-remote-'));
  server = await startGitServer(root);
  await seedRepository(root, 'app', path.join(root, 'nothing'));
  const folder = path.join(root, 'mirror');
  await mkdir(folder);
  mirror = { folder, isInitialized: false, isRetired: false, listings: new Map() };
  controller = new AbortController();
});

afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

function commit(files: Readonly<Record<string, string>>): Promise<string> {
  return commitFiles(root, 'app', { files, message: 'a change' });
}

async function onServer(...args: string[]): Promise<void> {
  await runCommand('git', ['--git-dir', path.join(root, 'app.git'), ...args], { env: gitEnvironment(root) });
}

function remote(config: Readonly<Record<string, string>> = {}, notBefore = performance.now()): Remote {
  const url = `${server.origin}/app.git`;
  const access = { config: () => config, env: {}, secrets: [], identity: '' };
  const { signal } = controller;
  const options = {
    access,
    url,
    namedHost: '127.0.0.1',
    proxies: {},
    home: root,
    timeoutMs: 600_000,
    startedAt: performance.now(),
    signal,
  };
  const deps = { run, gitPath: 'git' };
  const [git, there] = [createGit(deps, options), new Server(deps, options)];
  return {
    git,
    server: there,
    mirror,
    notBefore,
    tenant: 'shop',
    offload: { run: async (task, input) => task.run(input) },
  };
}

async function bring(target: GitTarget, from = remote()): Promise<string> {
  return (await obtain(from, target, await lookUp(from, target))).commit;
}

function byId(id: string): GitTarget {
  return { kind: 'commit', commit: id, branch: undefined };
}

test('a mirror stays when git is killed as it lists, and is given up when it writes', async () => {
  const found = await lookUp(remote(), MAIN);
  controller.abort();
  await expect(lookUp(remote(), MAIN)).rejects.toThrow();
  expect(mirror.isRetired).toBe(false);
  await expect(obtain(remote(), MAIN, found)).rejects.toThrow();
  expect(mirror.isRetired).toBe(true);
});

test('a commit that does not exist is not looked for in all branches', async () => {
  await expect(bring(byId('f'.repeat(40)))).rejects.toThrow(`commit '${'f'.repeat(40)}' not found`);
  const { stdout } = await remote().git.in(mirror.folder).attempt('for-each-ref');
  expect(stdout).toBe('');
});

test('where no single commit is given, it is found in the branches, whatever their names once were', async () => {
  const first = await commit({ a: '1' });
  await onServer('update-ref', 'refs/heads/foo', first);
  const second = await commit({ a: '2' });
  await commit({ a: '3' });
  expect(await bring(byId(second), remote(OLD_PROTOCOL))).toBe(second);
  await onServer('update-ref', '-d', 'refs/heads/foo');
  await onServer('update-ref', 'refs/heads/foo/bar', first);
  const third = await commit({ a: '4' });
  await commit({ a: '5' });
  expect(await bring(byId(third), remote(OLD_PROTOCOL))).toBe(third);
});

test('files are checked out as they were committed', async () => {
  const id = await commit({ '.gitattributes': '* text working-tree-encoding=UTF-32 eol=crlf ident', a: '$Id$\n' });
  await bring(MAIN);
  const workTree = path.join(root, 'files');
  await mkdir(workTree);
  await checkOut(remote().git, { repository: mirror.folder, commit: id, workTree, index: path.join(root, 'index') });
  expect((await stat(path.join(workTree, 'a'))).size).toBe(5);
});

test('a listing counts for its credentials only, and not for long', async () => {
  const store = createArtifactStore({ root: path.join(root, 'store'), baseUrl: 'http://127.0.0.1' });
  const mirrors = new Mirrors(store);
  const { startedAt, from } = { startedAt: performance.now(), from: remote() };
  const list = (identity: string, notBefore: number): Promise<unknown> =>
    mirrors.use(identity, 60_000, {
      talk: (shared) => lookUp({ ...from, mirror: shared, notBefore }, MAIN),
      read: (_shared, found) => Promise.resolve(found),
    });
  const listed = await list('one', startedAt);
  await server.close();
  expect(await list('one', startedAt)).toEqual(listed);
  await expect(list('another', startedAt)).rejects.toThrow(/^git ls-remote failed/);
  await expect(list('one', performance.now())).rejects.toThrow(/^git ls-remote failed/);
});
