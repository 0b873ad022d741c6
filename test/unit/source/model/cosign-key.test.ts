import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSignedBy, publicKey } from '#controllers/source/cosign/model/signatures.js';

const spki = { type: 'spki', format: 'pem' } as const;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const pem = ec.publicKey.export(spki).toString();

describe('a public key', () => {
  test.each([
    ['of PKIX', pem, 'ec'],
    ['with text around it', `ours:\n${pem}\n`, 'ec'],
    ['with the line ends of Windows', pem.replaceAll('\n', '\r\n'), 'ec'],
    ['of PKCS #1', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }), 'rsa'],
    ['of Ed25519', generateKeyPairSync('ed25519').publicKey.export(spki), 'ed25519'],
  ])('%s', (_title, text, type) => expect(publicKey(String(text))?.asymmetricKeyType).toBe(type));
  test.each([
    ['nothing', ''],
    ['two of them', pem + String(rsa.publicKey.export(spki))],
    ['a private key', ec.privateKey.export({ type: 'pkcs8', format: 'pem' })],
    ['a short RSA key', generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export(spki)],
    [
      'a curve that cosign does not take',
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export(spki),
    ],
    ['a key that signs nothing', generateKeyPairSync('x25519').publicKey.export(spki)],
    ['a damaged one', pem.replace(/\n..../, '\nAAAA')],
  ])('is not %s', (_title, text) => expect(publicKey(String(text))).toBeUndefined());
  test('may be looked for in any text', () => {
    fc.assert(fc.property(fc.string(), (text) => publicKey(`-----BEGIN PUBLIC KEY-----${text}`) === undefined));
  });
});

describe('a signature', () => {
  const bytes = Buffer.from('signed');
  test.each([
    ['with the hash of its curve, as of cosign 3', 'sha384', true],
    ['with SHA-256, as of cosign 2', 'sha256', true],
    ['with SHA-1', 'sha1', false],
  ])('%s', (_title, hash, isMade) => {
    expect(isSignedBy(ec.publicKey, bytes, sign(hash, bytes, ec.privateKey))).toBe(isMade);
  });
  test.each([
    ['Ed25519', generateKeyPairSync('ed25519').publicKey],
    ['RSA', rsa.publicKey],
    ['ECDSA', ec.publicKey],
  ])('of %s is never what anybody writes', (_title, key) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (signature) => !isSignedBy(key, bytes, signature)),
      { numRuns: 30 },
    );
  });
});
