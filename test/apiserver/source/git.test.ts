import { beforeAll, describe, expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { secretResource } from '#api/core.js';
import { startHttpServer } from '#sandbox/world/ports.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('src-git');
let commit: string;

beforeAll(async () => {
  commit = await harness.commit({ 'deploy/app.yaml': 'a: 1\n', 'photo.png': 'x', '.gitignore': 'y\n' });
});

function branch(name: string): Record<string, unknown> {
  return { url: harness.gitUrl, ref: { branch: name } };
}

describe('a GitRepository', () => {
  test('becomes an artifact of the branch, without what is excluded', async () => {
    await harness.apply('GitRepository', 'app', branch('main'));
    const { status, metadata } = await harness.untilReady('GitRepository', 'app');
    const revision = `main@sha1:${commit}`;
    expect(status?.artifact).toMatchObject({
      revision,
      path: `gitrepository/${harness.namespace}/app/${commit}.tar.gz`,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const stored = { status: 'True', reason: 'Succeeded', message: `stored artifact for revision '${revision}'` };
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', ...stored },
      { type: 'ArtifactInStorage', ...stored },
    ]);
    expect(metadata.finalizers).toEqual(['finalizers.fluxcd.io']);
    expect(await readdir(await harness.unpacked(status?.artifact))).toEqual(['deploy']);
  });

  test('an unchanged upstream costs nothing but the answer to the request', async () => {
    const before = await harness.read('GitRepository', 'app');
    const writes = await harness.writesDuring('app', () => harness.reconcile('GitRepository', 'app'));
    // The test's own annotation, and lastHandledReconcileAt.
    expect(writes).toHaveLength(2);
    const after = await harness.read('GitRepository', 'app');
    expect(after?.status).toEqual({ ...before?.status, lastHandledReconcileAt: expect.any(String) });
  });

  test('a new commit becomes a new artifact; the one before goes', async () => {
    const next = await harness.commit({ 'deploy/app.yaml': 'a: 2\n' });
    const { status } = await harness.reconcile('GitRepository', 'app');
    expect(status?.artifact?.revision).toBe(`main@sha1:${next}`);
  });

  test('a lost artifact is made again, byte for byte', async () => {
    const before = await harness.read('GitRepository', 'app');
    await harness.store.remove({ kind: 'gitrepository', namespace: harness.namespace, name: 'app' });
    const { status } = await harness.reconcile('GitRepository', 'app');
    expect(status?.artifact?.digest).toBe(before?.status?.artifact?.digest);
    await harness.unpacked(status?.artifact);
  });

  test('spec.ignore takes the place of the usual exclusions and counts as a change', async () => {
    await harness.apply('GitRepository', 'app', { ...branch('main'), ignore: '/deploy' });
    const { status } = await harness.untilReady('GitRepository', 'app');
    expect(await readdir(await harness.unpacked(status?.artifact))).toEqual(['photo.png']);
  });

  test('is removed from the store with the object', async () => {
    const { artifact } = (await harness.read('GitRepository', 'app'))?.status ?? {};
    await harness.remove('GitRepository', 'app');
    expect(await harness.store.locate(artifact!)).toBeUndefined();
  });

  test('a commit by its id', async () => {
    await harness.apply('GitRepository', 'by-commit', { url: harness.gitUrl, ref: { commit } });
    const { status } = await harness.untilReady('GitRepository', 'by-commit');
    expect(status?.artifact?.revision).toBe(`sha1:${commit}`);
  });
});

describe('bad input', () => {
  test('a branch that does not exist: the branches that do are named', async () => {
    await harness.apply('GitRepository', 'wrong', branch('nope'));
    const source = await harness.until('GitRepository', 'wrong', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'GitOperationFailed',
        message: "branch 'nope' not found: branches and tags are main; correct spec.ref",
      });
    });
    expect(conditionOf(source, 'Reconciling')).toMatchObject({ status: 'True', reason: 'ProgressingWithRetry' });
    expect(conditionOf(source, 'FetchFailed')?.status).toBe('True');
  });

  test('an unreachable URL keeps the artifact, and its message is stable', async () => {
    await harness.apply('GitRepository', 'gone', branch('main'));
    const { status } = await harness.untilReady('GitRepository', 'gone');
    await harness.apply('GitRepository', 'gone', { ...branch('main'), url: 'http://127.0.0.1:1/app.git' });
    const failed = await harness.until('GitRepository', 'gone', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason: 'GitOperationFailed' });
    });
    expect(failed.status?.artifact).toEqual(status?.artifact);
    expect(conditionOf(failed, 'ArtifactInStorage')?.status).toBe('True');
    expect(conditionOf(failed, 'Ready')?.message).toMatch(/Failed to connect to 127\.0\.0\.1 port 1: /);
  });

  test.each([
    {
      name: 'user',
      url: 'http://u:secret@127.0.0.1/a.git',
      reason: 'URLInvalid',
      message: /credentials.*spec\.secretRef/,
    },
    { name: 'range', ref: { semver: 'latest' }, reason: 'InvalidReference', message: /spec\.ref\.semver "latest"/ },
    { name: 'short', ref: { commit: 'abc' }, reason: 'InvalidReference', message: /spec\.ref\.commit "abc"/ },
  ])('$name stalls and names the field', async ({ name, url = harness.gitUrl, ref = {}, reason, message }) => {
    await harness.apply('GitRepository', name, { url, ref });
    const source = await harness.until('GitRepository', name, (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({ status: 'True', reason });
    });
    expect(conditionOf(source, 'Ready')?.message).toMatch(message);
    expect(JSON.stringify(source.status)).not.toContain('secret@');
    expect(source.status?.observedGeneration).toBe(source.metadata.generation);
  });

  test('what is not supported is reported', async () => {
    await harness.apply('GitRepository', 'cloud', { ...branch('main'), provider: 'azure' });
    await harness.until('GitRepository', 'cloud', (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({
        reason: 'FeatureNotSupported',
        message: expect.stringContaining('spec.provider'),
      });
    });
  });

  test('a missing Secret is named and waited for', async () => {
    await harness.apply('GitRepository', 'secret', { ...branch('main'), secretRef: { name: 'login' } });
    await harness.until('GitRepository', 'secret', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({
        reason: 'AuthenticationFailed',
        message: `Secret '${harness.namespace}/login' named by spec.secretRef does not exist: create it`,
      });
    });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: harness.namespace } };
    await harness.host.create(secretResource, {
      ...secret,
      stringData: { username: 'u', password: 'p' },
    } as typeof secret);
    await harness.untilReady('GitRepository', 'secret');
  });
});

describe('a server that', () => {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    hangs: () => undefined,
    drips: (response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      const drip = setInterval(() => response.write('0'), 100);
      response.on('close', () => clearInterval(drip));
    },
    closes: (response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement', 'content-length': 100 });
      response.write('001e# service=git', () => response.destroy());
    },
  };

  test.each([
    ['hangs', 'ProcessTimeout', 'git ls-remote did not finish within 2000 ms (spec.timeout)'],
    ['drips', 'ProcessTimeout', 'git ls-remote did not finish within 2000 ms (spec.timeout)'],
    ['closes', 'GitOperationFailed', 'git ls-remote failed: '],
  ])('%s is given up', async (name, reason, message) => {
    const server = await startHttpServer((_request, response) => answers[name]?.(response));
    await harness.apply('GitRepository', name, { ...branch('main'), url: `${server.origin}/a.git`, timeout: '2s' });
    await harness.until('GitRepository', name, (current) => {
      const facts = { status: 'False', reason, message: expect.stringContaining(message) };
      expect(conditionOf(current, 'Ready')).toMatchObject(facts);
    });
    await harness.remove('GitRepository', name);
    await server.close();
  });
});

test('of tags that differ in build metadata alone, the one with the newest commit', async () => {
  const newest = await harness.tag('v1.0.0+1', '2026-06-01T00:00:00Z');
  await harness.tag('v1.0.0+2', '2026-01-01T00:00:00Z');
  await harness.apply('GitRepository', 'tagged', { url: harness.gitUrl, ref: { semver: '*' } });
  const { status } = await harness.untilReady('GitRepository', 'tagged');
  expect(status?.artifact?.revision).toBe(`v1.0.0+1@sha1:${newest}`);
});
