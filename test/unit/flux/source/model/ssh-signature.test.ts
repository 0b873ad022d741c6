import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { signedCommit, signedTag, type Signed } from '#controllers/flux/source/model/git-signature.js';
import { sshKeys, sshSigner } from '#controllers/flux/source/model/ssh-signature.js';

const KEYS = ['ed25519', 'rsa', 'ecdsa256', 'ecdsa384', 'ecdsa521'];

function read(name: string): string {
  return readFileSync(`test/fixtures/git-signatures/${name}`, 'latin1');
}

function signed(name: string): Signed {
  const raw = read(name);
  const found = name.endsWith('.tag') ? signedTag(raw) : signedCommit(raw);
  if (found === undefined) throw new Error(`${name} is not signed`);
  return found;
}

describe.each(KEYS)('what git and ssh-keygen signed with %s', (name) => {
  const trusted = sshKeys(read(`${name}.sshpub`));
  const commit = signed(`${name}.commit`);

  test('is verified, as a commit and as a tag', () => {
    expect(sshSigner(commit, trusted)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect(sshSigner(signed(`${name}.tag`), trusted)).toBe(sshSigner(commit, trusted));
  });

  test('is not when it was changed, or when the key is none of the trusted', () => {
    expect(sshSigner({ ...commit, payload: commit.payload.replace('Signer', 'Forger') }, trusted)).toBeUndefined();
    expect(sshSigner(commit, sshKeys(read('stranger.sshpub')))).toBeUndefined();
    expect(sshSigner({ ...commit, signature: signed('stranger.commit').signature }, trusted)).toBeUndefined();
    expect(sshSigner({ ...commit, signature: signed(`${name}.tag`).signature }, trusted)).toBeUndefined();
  });
});

test('one trusted key of several is enough', () => {
  const lines = ['# comment', '', read('stranger.sshpub'), `robot ${read('ed25519.sshpub')}`, 'ssh-ed25519 not/a/key!'];
  expect(sshSigner(signed('ed25519.commit'), sshKeys(lines.join('\n')))).toBeDefined();
});

test('no change of a signature is verified, and none throws', () => {
  const trusted = sshKeys(read('ed25519.sshpub'));
  const commit = signed('ed25519.commit');
  const [begin = '', ...lines] = commit.signature.trim().split('\n');
  const end = lines.pop() ?? '';
  const bytes = Buffer.from(lines.join(''), 'base64');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, mask, cut) => {
      const changed = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
      if (!cut) changed[at] = (changed[at] ?? 0) ^ mask;
      const signature = [begin, changed.toString('base64'), end].join('\n');
      expect(sshSigner({ ...commit, signature }, trusted)).toBeUndefined();
    }),
  );
});

test('a signature for another purpose than git is none', () => {
  const commit = signed('ed25519.commit');
  const [begin = '', ...lines] = commit.signature.trim().split('\n');
  const end = lines.pop() ?? '';
  const other = Buffer.from(
    Buffer.from(lines.join(''), 'base64').toString('latin1').replace('\x03git', '\x03tig'),
    'latin1',
  );
  const signature = [begin, other.toString('base64'), end].join('\n');
  expect(sshSigner({ ...commit, signature }, sshKeys(read('ed25519.sshpub')))).toBeUndefined();
});
