import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signedCommit, signedTag, sshKeys, sshSigner, type Signed } from '#controllers/source/git/model/signature.js';
import { INHERITED } from '../../../support/inherited-names.js';

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
  const lines = ['# comment', '', read('stranger.sshpub'), read('ed25519.sshpub'), 'ssh-ed25519 not/a/key!'];
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

test.each(['#', '@revoked', 'cert-authority', 'expiry-time="20200101"', 'namespaces="file"', 'robot'])(
  'a line that begins with %s holds no key',
  (word) => expect(sshKeys(`${word} ${read('ed25519.sshpub')}`)).toEqual([]),
);

const PAYLOAD = 'what is signed';
const PAIRS = { ed25519: generateKeyPairSync('ed25519'), rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }) };
/** How node signs in a format. */
const HASHES: Readonly<Record<string, string | null>> = {
  'ssh-ed25519': null,
  'ssh-rsa': 'sha1',
  'rsa-sha2-512': 'sha512',
};

/** Fields in SSH's wire format. */
function wire(...fields: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const [length, bytes] = [Buffer.alloc(4), Buffer.from(field)];
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function publicKey(type: keyof typeof PAIRS): Buffer {
  const { x = '', e = '', n = '' } = PAIRS[type].publicKey.export({ format: 'jwk' });
  const decoded = (text: string): Buffer => Buffer.from(text, 'base64url');
  if (type === 'ed25519') return wire('ssh-ed25519', decoded(x));
  return wire('ssh-rsa', decoded(e), Buffer.concat([Buffer.alloc(1), decoded(n)]));
}

interface Claim {
  readonly namespace?: string;
  readonly hash?: string;
  readonly format?: string;
}

describe('what a trusted key signed', () => {
  test.each<[string, Claim, boolean]>([
    ['for git is verified', {}, true],
    ['for another purpose is not', { namespace: 'file' }, false],
    ['with a hash of SHA-1 is not', { hash: 'sha1' }, false],
    ['with RSA and SHA-2 is verified', { format: 'rsa-sha2-512' }, true],
    ['with RSA and SHA-1 is not', { format: 'ssh-rsa' }, false],
  ])('%s', (_title, { namespace = 'git', hash = 'sha512', format = 'ssh-ed25519' }, isVerified) => {
    const type = format.includes('rsa') ? 'rsa' : 'ed25519';
    const about = [namespace, '', hash] as const;
    const data = [Buffer.from('SSHSIG'), wire(...about, createHash(hash).update(PAYLOAD).digest())];
    const made = sign(HASHES[format], Buffer.concat(data), PAIRS[type].privateKey);
    const head = Buffer.from('SSHSIG\0\0\0\x01', 'latin1');
    const blob = Buffer.concat([head, wire(publicKey(type), ...about, wire(format, made))]);
    const signature = `-----BEGIN SSH SIGNATURE-----\n${blob.toString('base64')}\n-----END SSH SIGNATURE-----`;
    const signer = sshSigner({ payload: PAYLOAD, signature }, [publicKey(type)]);
    expect(signer !== undefined).toBe(isVerified);
  });
});

describe('a signature of a trusted ECDSA key', () => {
  const { publicKey: point, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = point.export({ format: 'jwk' });
  const coordinates = [x, y].map((text) => Buffer.from(text, 'base64url'));
  const trusted = wire('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), ...coordinates]));
  const about = ['git', '', 'sha512'] as const;
  const data = [Buffer.from('SSHSIG'), wire(...about, createHash('sha512').update(PAYLOAD).digest())];
  const made = sign('sha256', Buffer.concat(data), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const pair = wire(made.subarray(0, 32), made.subarray(32));

  function signer(format: string): string | undefined {
    const blob = Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01'), wire(trusted, ...about, wire(format, pair))]);
    const signature = `-----BEGIN SSH SIGNATURE-----\n${blob.toString('base64')}\n-----END SSH SIGNATURE-----`;
    return sshSigner({ payload: PAYLOAD, signature }, [trusted]);
  }

  test('is verified in its format', () => expect(signer('ecdsa-sha2-nistp256')).toBeDefined());

  test.each(INHERITED)('is not in a format called %s', (format) => expect(signer(format)).toBeUndefined());
});
