import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { commitFiles, seedRepository } from '#sandbox/servers/git-repository.js';
import { conditionOf, useHarness, type SourceView } from './harness.js';

const TIME = '2026-01-01T00:00:00Z';
const AUTHOR = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };

const harness = useHarness('src-content');

function git(repository: string, input: string, ...args: string[]): string {
  const dates = { GIT_AUTHOR_DATE: TIME, GIT_COMMITTER_DATE: TIME };
  const env = { ...process.env, ...AUTHOR, ...dates, GIT_DIR: path.join(harness.gitRoot, `${repository}.git`) };
  return execFileSync('git', args, { env, input }).toString().trim();
}

/** Commits entries as of `git mktree` to a branch; what is not an id is the content of a file. */
function commitTree(
  repository: string,
  branch: string,
  entries: Readonly<Record<string, [mode: string, text: string]>>,
) {
  const lines = Object.entries(entries).map(([name, [mode, text]]) => {
    const type = mode === '160000' ? 'commit' : mode === '040000' ? 'tree' : 'blob';
    const id = /^[0-9a-f]{40}$/.test(text) ? text : git(repository, text, 'hash-object', '-w', '--stdin');
    return `${mode} ${type} ${id}\t${name}\n`;
  });
  const tree = git(repository, lines.join(''), 'mktree', '--missing');
  const commit = git(repository, '', 'commit-tree', tree, '-m', 'Tree');
  git(repository, '', 'update-ref', `refs/heads/${branch}`, commit);
  return commit;
}

function modules(urls: Readonly<Record<string, string>>): [mode: string, text: string] {
  const sections = Object.entries(urls).map(
    ([name, url]) => `[submodule "${name}"]\n\tpath = ${name}\n\turl = ${url}\n`,
  );
  return ['100644', sections.join('')];
}

beforeAll(async () => {
  for (const name of ['lib', 'deep']) await seedRepository(harness.gitRoot, name, 'nothing');
  const deep = await commitFiles(harness.gitRoot, 'deep', { files: { 'deep.txt': 'deep\n' }, message: 'Deep' });
  const lib = commitTree('lib', 'main', {
    'lib.txt': ['100644', 'lib\n'],
    deep: ['160000', deep],
    '.gitmodules': modules({ deep: '../deep.git' }),
  });
  commitTree('app', 'modules', {
    'app.txt': ['100644', 'app\n'],
    lib: ['160000', lib],
    '.gitmodules': modules({ lib: '../lib.git' }),
  });
  commitTree('app', 'evil', {
    lib: ['160000', lib],
    '.gitmodules': modules({ lib: `file://${harness.gitRoot}/lib.git` }),
  });
  commitTree('app', 'metadata', {
    lib: ['160000', lib],
    '.gitmodules': modules({ lib: 'http://169.254.169.254/lib.git' }),
  });
  const many = Array.from({ length: 101 }, (_, index) => `lib-${index}`);
  commitTree('app', 'many', {
    ...Object.fromEntries(many.map((name): [string, [string, string]] => [name, ['160000', deep]])),
    '.gitmodules': modules(Object.fromEntries(many.map((name) => [name, '../deep.git']))),
  });
  commitTree('app', 'lost', { lib: ['160000', 'f'.repeat(40)], '.gitmodules': modules({ lib: '../lib.git' }) });
  let nested = lib;
  for (let depth = 0; depth < 20; depth += 1) {
    const itself = modules({ lib: depth === 0 ? '../lib.git' : '../app.git' });
    nested = commitTree('app', 'nested', { lib: ['160000', nested], '.gitmodules': itself });
  }
  commitTree('app', 'links', { 'app.txt': ['100644', 'app\n'], out: ['120000', harness.gitRoot] });
  await harness.commit({ 'deploy/eu/a.yaml': 'a: 1\n', 'deploy/us/b.yaml': 'b: 1\n', 'other/c.yaml': 'c: 1\n' });
});

async function ready(name: string, fields: Record<string, unknown>, branch = 'main'): Promise<SourceView> {
  await harness.apply('GitRepository', name, { url: harness.gitUrl, ref: { branch }, ...fields });
  return harness.until('GitRepository', name, (current) => {
    expect(conditionOf(current, 'Ready')).toMatchObject({
      status: 'True',
      observedGeneration: current.metadata.generation,
    });
  });
}

async function failing(name: string, fields: Record<string, unknown>, ready: object): Promise<SourceView> {
  await harness.apply('GitRepository', name, { url: harness.gitUrl, ref: { branch: 'main' }, ...fields });
  return harness.until('GitRepository', name, (current) => {
    const observedGeneration = current.metadata.generation;
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', observedGeneration, ...ready });
  });
}

async function filesOf({ status }: SourceView): Promise<string[]> {
  const folder = await harness.unpacked(status?.artifact);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).sort();
}

describe('recurseSubmodules', () => {
  test('adds the submodules, and theirs', async () => {
    const without = await ready('modules', {}, 'modules');
    expect(await filesOf(without)).toEqual(['app.txt']);
    const source = await ready('modules', { recurseSubmodules: true }, 'modules');
    expect(await filesOf(source)).toEqual(['app.txt', 'lib/deep/deep.txt', 'lib/lib.txt']);
    expect(source.status).toMatchObject({ observedRecurseSubmodules: true });
    expect(source.status?.artifact?.revision).toBe(without.status?.artifact?.revision);
  });

  test.each([
    ['a local one', 'evil', /the submodule "lib": its URL in \.gitmodules is not an http, https or ssh URL/],
    ['one on a metadata server', 'metadata', /the submodule "lib": its URL leads to a link-local address/],
    ['one that has itself as a submodule, again and again', 'nested', /submodules are nested more than 10 deep/],
    ['more than can be wanted', 'many', /there are more than 100 submodules/],
    ['a commit that is not there', 'lost', /commit 'f{40}' not found/],
  ])('refuses %s', async (_title, branch, message) => {
    const fields = { ref: { branch }, recurseSubmodules: true };
    const facts = { reason: 'GitOperationFailed', message: expect.stringMatching(message) };
    const source = await failing(`modules-${branch}`, fields, facts);
    expect(source.status?.artifact).toBeUndefined();
    await harness.remove('GitRepository', `modules-${branch}`);
  });
});

describe('sparseCheckout', () => {
  test('keeps its folders only, and counts as a change', async () => {
    const source = await ready('sparse', { sparseCheckout: ['./deploy/eu', 'other/'] });
    expect(await filesOf(source)).toEqual(['deploy/eu/a.yaml', 'other/c.yaml']);
    const writes = await harness.writesDuring('sparse', () => harness.reconcile('GitRepository', 'sparse'));
    expect(writes).toHaveLength(2);
    const next = await ready('sparse', { sparseCheckout: ['deploy', 'deploy/us'] });
    expect(await filesOf(next)).toEqual(['deploy/eu/a.yaml', 'deploy/us/b.yaml']);
  });

  test.each([
    ['what does not exist', 'main', 'nothing', 'GitOperationFailed', "sparse checkout dir 'nothing' does not exist"],
    ['a link', 'links', 'out', 'GitOperationFailed', "sparse checkout dir 'out' does not exist"],
    ['what leads out', 'main', '../x', 'IllegalPath', 'spec.sparseCheckout "../x" leads out of the repository'],
  ])('refuses %s', async (...[, branch, folder, reason, message]) => {
    const fields = { ref: { branch }, sparseCheckout: [folder] };
    await failing('sparse-no', fields, { reason, message: expect.stringContaining(message) });
  });
});

describe('include', () => {
  const repository = { name: 'included' };

  test('waits for the artifact of another repository, and copies it', async () => {
    await harness.apply('GitRepository', 'includer', {
      url: harness.gitUrl,
      ref: { branch: 'links' },
      include: [{ repository }, { repository, fromPath: 'deploy/eu', toPath: 'sub/eu' }],
    });
    const waiting = await harness.until('GitRepository', 'includer', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason: 'NotFound' });
    });
    expect(conditionOf(waiting, 'IncludeUnavailable')?.status).toBe('True');
    await ready('included', { ignore: '/other' });
    const source = await harness.untilReady('GitRepository', 'includer');
    expect(await filesOf(source)).toEqual([
      'app.txt',
      'included/deploy/eu/a.yaml',
      'included/deploy/us/b.yaml',
      'sub/eu/a.yaml',
    ]);
    expect(conditionOf(source, 'IncludeUnavailable')).toBeUndefined();
  });

  test('follows each new artifact of it', async () => {
    const before = await harness.read('GitRepository', 'includer');
    await harness.commit({ 'deploy/eu/a.yaml': 'a: 2\n' });
    await harness.reconcile('GitRepository', 'included');
    const after = await harness.until('GitRepository', 'includer', ({ status }) => {
      expect(status?.artifact?.digest).not.toBe(before?.status?.artifact?.digest);
    });
    expect(after.status?.artifact?.revision).toBe(before?.status?.artifact?.revision);
    const folder = await harness.unpacked(after.status?.artifact);
    expect(await readFile(path.join(folder, 'sub/eu/a.yaml'), 'utf8')).toBe('a: 2\n');
  });

  test('gives a chart another version with each new artifact of it, and none without', async () => {
    const metadata = 'apiVersion: v2\nname: charted\nversion: 1.0.0\n';
    commitTree('app', 'charted', { 'Chart.yaml': ['100644', metadata] });
    const included = { include: [{ repository, fromPath: 'deploy/eu', toPath: 'files' }] };
    await harness.apply('GitRepository', 'charted', { url: harness.gitUrl, ref: { branch: 'charted' }, ...included });
    await harness.untilReady('GitRepository', 'charted');
    const sourceRef = { kind: 'GitRepository', name: 'charted' };
    await harness.apply('HelmChart', 'charted', { chart: '.', sourceRef, reconcileStrategy: 'Revision' });
    const { status: before } = await harness.untilReady('HelmChart', 'charted');
    expect(before?.artifact?.revision).toMatch(/^1\.0\.0\+[0-9a-f]{12}\.[0-9a-f]{12}$/);
    const { status: again } = await harness.reconcile('HelmChart', 'charted');
    expect(again?.artifact).toEqual(before?.artifact);
    await harness.commit({ 'deploy/eu/a.yaml': 'a: 3\n' });
    await harness.reconcile('GitRepository', 'included');
    const { status } = await harness.until('HelmChart', 'charted', (current) => {
      expect(current.status?.artifact?.revision).not.toBe(before?.artifact?.revision);
    });
    const folder = await harness.unpacked(status?.artifact);
    expect(await readFile(path.join(folder, 'charted/files/a.yaml'), 'utf8')).toBe('a: 3\n');
  });

  test.each([
    ['what leads out', { toPath: '../x' }, 'IllegalPath', 'toPath "../x" leads out of the artifact'],
    ['what is there already', { toPath: 'app.txt' }, 'CopyFailure', "'app.txt' exists in the repository"],
    ['a way through a link', { toPath: 'out/x' }, 'CopyFailure', "'out/x' exists in the repository"],
    ['what it does not have', { fromPath: 'nothing' }, 'CopyFailure', "it has no 'nothing'"],
  ])('refuses %s', async (...[, paths, reason, message]) => {
    const fields = { ref: { branch: 'links' }, include: [{ repository, ...paths }] };
    await failing('include-no', fields, { reason, message: expect.stringContaining(message) });
    expect(await readdir(harness.gitRoot)).not.toContain('x');
  });

  test('refuses more than 100', async () => {
    const include = Array.from({ length: 101 }, () => ({ repository }));
    const message = 'spec.include has 101 entries; at most 100 are allowed';
    await failing('include-many', { include }, { reason: 'IncludeUnavailable', message });
  });

  test('refuses a repository that includes itself', async () => {
    await failing(
      'loop',
      { include: [{ repository: { name: 'loop' } }] },
      { reason: 'IncludeUnavailable', message: 'spec.include leads back to itself: loop -> loop' },
    );
  });
});
