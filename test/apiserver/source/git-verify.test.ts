import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { secretResource } from '#api/core.js';
import { conditionOf, useHarness } from './harness.js';

const FIXTURES = 'test/fixtures/git-signatures';

const harness = useHarness('src-verify');
/** Ids of the signed commits, by their keys. */
const signed = new Map<string, string>();

function git(input: Buffer | undefined, ...args: string[]): string {
  const env = { ...process.env, GIT_DIR: path.join(harness.gitRoot, 'app.git') };
  return execFileSync('git', args, { env, ...(input ? { input } : {}) })
    .toString()
    .trim();
}

function read(file: string): Buffer {
  return readFileSync(path.join(FIXTURES, file));
}

async function keys(name: string, files: readonly string[]): Promise<void> {
  const metadata = { name, namespace: harness.namespace };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
  const stringData = Object.fromEntries(files.map((file) => [file, read(file).toString()]));
  await harness.host.create(secretResource, { ...secret, stringData } as typeof secret);
}

beforeAll(async () => {
  // The tree that is signed.
  await harness.commit({ 'app.yaml': 'a: 1\n' });
  for (const name of ['ed25519', 'pgp', 'stranger']) {
    signed.set(name, git(read(`${name}.commit`), 'hash-object', '-t', 'commit', '-w', '--stdin'));
    git(undefined, 'update-ref', `refs/heads/${name}`, signed.get(name) ?? '');
    const tag = git(read(`${name}.tag`), 'hash-object', '-t', 'tag', '-w', '--stdin');
    git(undefined, 'update-ref', `refs/tags/${name}`, tag);
  }
  git(undefined, 'update-ref', 'refs/tags/renamed', git(undefined, 'rev-parse', 'refs/tags/ed25519'));
  git(undefined, 'update-ref', 'refs/tags/plain', signed.get('ed25519') ?? '');
  await keys('trusted', ['ed25519.sshpub', 'pgp.asc']);
  await keys('other', ['ecdsa256.sshpub']);
});

function spec(ref: object, mode: string | undefined, secret = 'trusted'): Record<string, unknown> {
  return { url: harness.gitUrl, ref, verify: { secretRef: { name: secret }, ...(mode ? { mode } : {}) } };
}

describe('signed by a key that is trusted', () => {
  test.each([
    { name: 'a commit, by SSH', ref: { branch: 'ed25519' }, mode: undefined, observed: 'HEAD', count: 1 },
    { name: 'a commit, by PGP', ref: { branch: 'pgp' }, mode: 'HEAD', observed: 'HEAD', count: 1 },
    { name: 'a tag', ref: { tag: 'ed25519' }, mode: 'Tag', observed: 'Tag', count: 1 },
    { name: 'a tag and its commit', ref: { tag: 'pgp' }, mode: 'TagAndHEAD', observed: 'TagAndHEAD', count: 2 },
  ])('$name', async ({ ref, mode, observed, count }) => {
    await harness.apply('GitRepository', 'signed', spec(ref, mode));
    const source = await harness.until('GitRepository', 'signed', (current) => {
      expect(conditionOf(current, 'SourceVerified')).toMatchObject({
        status: 'True',
        reason: 'Succeeded',
        observedGeneration: current.metadata.generation,
        message: expect.stringMatching(/^verified signature of\n\t- .* with key '(SHA256:\S+|[0-9A-F]{16})'/),
      });
    });
    expect(conditionOf(source, 'SourceVerified')?.message.match(/with key/g)).toHaveLength(count);
    expect(source.status).toMatchObject({ sourceVerificationMode: observed });
    expect(source.status?.artifact?.revision).toContain(Object.values(ref)[0]);
  });

  test('settles: nothing is written when nothing changed', async () => {
    const writes = await harness.writesDuring('signed', () => harness.reconcile('GitRepository', 'signed'));
    expect(writes).toHaveLength(2);
  });

  test('without spec.verify nothing is said of it any more', async () => {
    await harness.apply('GitRepository', 'signed', { url: harness.gitUrl, ref: { branch: 'ed25519' } });
    const { status } = await harness.until('GitRepository', 'signed', (current) => {
      expect(conditionOf(current, 'Ready')?.observedGeneration).toBe(current.metadata.generation);
      expect(conditionOf(current, 'SourceVerified')).toBeUndefined();
    });
    expect(status).not.toHaveProperty('sourceVerificationMode');
  });
});

describe('not signed by a key that is trusted', () => {
  test.each<[string, { ref: object; mode?: string; secret?: string }, string, string]>([
    ['no signature', { ref: { branch: 'main' } }, 'InvalidCommitSignature', 'it is not signed'],
    ['an unknown SSH key', { ref: { branch: 'stranger' } }, 'InvalidCommitSignature', 'made it'],
    [
      'an unknown PGP key',
      { ref: { branch: 'pgp' }, secret: 'other' },
      'InvalidCommitSignature',
      "no key of the Secret 'other' made it",
    ],
    ['an unknown key for the tag', { ref: { tag: 'stranger' }, mode: 'Tag' }, 'InvalidTagSignature', "tag 'stranger'"],
    ['a tag of another name', { ref: { tag: 'renamed' }, mode: 'Tag' }, 'InvalidTagSignature', "tag 'renamed'"],
    ['a tag without a signature', { ref: { tag: 'plain' }, mode: 'TagAndHEAD' }, 'InvalidGitObject', "tag 'plain'"],
    ['no Secret', { ref: { branch: 'pgp' }, secret: 'nothing' }, 'VerificationError', 'spec.verify.secretRef does not'],
    ['no tag', { ref: { branch: 'pgp' }, mode: 'Tag' }, 'InvalidVerificationMode', 'spec.verify.mode'],
  ])('%s: there is no artifact', async (_name, { ref, mode = 'HEAD', secret }, reason, message) => {
    await harness.apply('GitRepository', 'unsigned', spec(ref, mode, secret));
    const source = await harness.until('GitRepository', 'unsigned', (current) => {
      const facts = { status: 'False', reason, message: expect.stringContaining(message) };
      expect(conditionOf(current, 'SourceVerified')).toMatchObject(facts);
      expect(conditionOf(current, 'Ready')).toMatchObject({
        ...facts,
        observedGeneration: current.metadata.generation,
      });
    });
    expect(source.status?.artifact).toBeUndefined();
  });

  test('what was verified before stays', async () => {
    git(undefined, 'update-ref', 'refs/heads/moving', signed.get('ed25519') ?? '');
    await harness.apply('GitRepository', 'kept', spec({ branch: 'moving' }, 'HEAD'));
    const { status } = await harness.untilReady('GitRepository', 'kept');
    git(undefined, 'update-ref', 'refs/heads/moving', signed.get('stranger') ?? '');
    const kept = await harness.reconcile('GitRepository', 'kept');
    expect(conditionOf(kept, 'Ready')).toMatchObject({ status: 'False', reason: 'InvalidCommitSignature' });
    expect(status?.artifact?.revision).toBe(`moving@sha1:${signed.get('ed25519')}`);
    expect(kept.status?.artifact).toEqual(status?.artifact);
  });
});
