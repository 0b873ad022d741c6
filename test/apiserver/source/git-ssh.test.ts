import { beforeAll, describe, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { fixture } from '../../support/fixture.js';
import { startSshServer, type SshKey } from '../../support/ssh-server.js';
import { conditionOf, expectSecretMissed, useHarness } from './harness.js';

const harness = useHarness('src-ssh');
const server = fixture(
  () => startSshServer(harness.gitRoot),
  (made) => made.close(),
);
const PASSPHRASE = `pa'ss "w$rd`;
const KEYS: Readonly<Record<string, readonly string[]>> = {
  ed25519: ['-t', 'ed25519'],
  ecdsa: ['-t', 'ecdsa', '-b', '384'],
  rsa: ['-t', 'rsa', '-b', '2048'],
  encrypted: ['-t', 'ed25519', '-N', PASSPHRASE],
  stranger: ['-t', 'ed25519'],
};
const keys = new Map<string, SshKey>();

function keyOf(name: string): SshKey {
  const key = keys.get(name);
  if (key === undefined) throw new Error(`there is no key ${name}`);
  return key;
}

async function write(name: string, stringData: Record<string, string>): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace }, stringData };
  await harness.host.create(secretResource, object);
}

async function apply(name: string, secret: string, fields: object = {}): Promise<void> {
  const spec = { url: `${server.origin}/app.git`, ref: { branch: 'main' }, secretRef: { name: secret }, ...fields };
  await harness.apply('GitRepository', name, spec);
}

let commit: string;

beforeAll(async () => {
  commit = await harness.commit({ 'a.yaml': 'a: 1\n' });
  for (const [name, args] of Object.entries(KEYS)) keys.set(name, await server.makeKey(name, ...args));
  await server.letIn(...['ed25519', 'ecdsa', 'rsa', 'encrypted'].map(keyOf));
  const { knownHosts } = server;
  for (const [name, { privateKey }] of keys) await write(name, { identity: privateKey, known_hosts: knownHosts });
  const { privateKey: encrypted } = keyOf('encrypted');
  await write('decrypted', { identity: encrypted, known_hosts: knownHosts, password: PASSPHRASE });
  await write('mistyped', { identity: encrypted, known_hosts: knownHosts, password: 'never-shown' });
  const { privateKey: identity } = keyOf('ed25519');
  const other = knownHosts.replace(/ssh-ed25519 .*/, keyOf('stranger').publicKey);
  await write('other-host', { identity, known_hosts: other });
  await write('vanishing', { identity, known_hosts: knownHosts });
});

describe('a key opens a repository', () => {
  test.each(['ed25519', 'ecdsa', 'rsa', 'decrypted'])('%s', async (secret) => {
    await apply(secret, secret);
    const { status } = await harness.untilReady('GitRepository', secret);
    expect(status?.artifact?.revision).toBe(`main@sha1:${commit}`);
  });

  test('and what is pushed later', async () => {
    await apply('moves', 'ed25519');
    await harness.untilReady('GitRepository', 'moves');
    commit = await harness.commit({ 'b.yaml': 'b: 1\n' });
    await harness.reconcile('GitRepository', 'moves');
    const { status } = await harness.untilReady('GitRepository', 'moves');
    expect(status?.artifact?.revision).toBe(`main@sha1:${commit}`);
  });
});

test.each([
  ['a key that the server does not know', 'stranger', /Permission denied \(publickey\)/],
  ['a key without its passphrase', 'encrypted', /Permission denied \(publickey\)/],
  ['a wrong passphrase', 'mistyped', /Permission denied \(publickey\)/],
  ['a host with another key', 'other-host', /Host key verification failed/],
])('is refused: %s', async (_title, secret, message) => {
  await apply(`no-${secret}`, secret);
  const source = await harness.until('GitRepository', `no-${secret}`, (current) => {
    const facts = { status: 'False', reason: 'GitOperationFailed', message: expect.stringMatching(message) as unknown };
    expect(conditionOf(current, 'Ready')).toMatchObject(facts);
  });
  expect(JSON.stringify(source.status)).not.toMatch(/never-shown|identity'|\/known_hosts/);
});

test.each([
  ['an option for ssh as the host', 'ssh://-oProxyCommand=touch/app.git', 'URLInvalid'],
  ['one behind a user', 'ssh://git@-oProxyCommand=touch/app.git', 'URLInvalid'],
])('is no URL: %s', async (title, url, reason) => {
  const name = title.replaceAll(' ', '-');
  await apply(name, 'ed25519', { url });
  await harness.until('GitRepository', name, (current) => {
    expect(conditionOf(current, 'Stalled')).toMatchObject({ status: 'True', reason });
  });
});

test.each(['--upload-pack=touch', '$(touch x)', 'x;touch'])('a path is no option and no command: %s', async (text) => {
  const name = `path-${text.replaceAll(/[^a-z]/g, '')}`;
  await apply(name, 'ed25519', { url: `${server.origin}/${encodeURIComponent(text)}` });
  await harness.until('GitRepository', name, (current) => {
    // The server says it as it came.
    const message = expect.stringContaining(`/git/${text}'`) as unknown;
    expect(conditionOf(current, 'Ready')).toMatchObject({ reason: 'GitOperationFailed', message });
  });
});

test('a key that is deleted is missed by name, and the artifact stays', async () => {
  await apply('vanishes', 'vanishing');
  await expectSecretMissed(harness, 'GitRepository', 'vanishes', 'vanishing');
});
