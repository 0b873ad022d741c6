import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { privateKeyIn } from '#lib/net/private-key.js';
import { derInteger, derValue, rsaKeyOf } from '../../support/rsa-key.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

function pemOf(key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1' = 'pkcs8'): string {
  return key.export({ type, format: 'pem' }).toString();
}

function pkcs8(id: string, key: Buffer): string {
  const algorithm = derValue(0x30, derValue(0x06, Buffer.from(id, 'hex')));
  const bytes = derValue(0x30, derInteger(0), algorithm, derValue(0x04, key));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END PRIVATE KEY-----`;
}

describe('used', () => {
  test.each<[string, string, number | undefined]>([
    ['RSA in PKCS#1', pemOf(rsa, 'pkcs1'), 2048],
    ['RSA in PKCS#8', pemOf(rsa), 2048],
    ['RSA of 8192 bits', rsaKeyOf({}, 8192), 8192],
    ['RSA of 256 bits', rsaKeyOf({}, 256), 256],
    ['EC in PKCS#8', pemOf(ec), undefined],
    ['EC in SEC 1', pemOf(ec, 'sec1'), undefined],
    ['Ed25519', pemOf(generateKeyPairSync('ed25519').privateKey), undefined],
  ])('%s', (_sentence, pem, bits) => {
    expect(privateKeyIn(pem)).toEqual(bits === undefined ? { pem } : { pem, rsaBits: bits });
  });

  test('of a file with more in it, the key alone', () => {
    const pem = pemOf(ec, 'sec1');
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    expect(privateKeyIn(`Bag Attributes\n${parameters}${pem}${pemOf(rsa)}\n`)?.pem).toBe(pem);
  });
});

describe('not used', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['a public key', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['with a passphrase', rsa.export({ type: 'pkcs8', format: 'pem', cipher: 'aes128', passphrase: 'x' }).toString()],
    ['in PKCS#1 with a passphrase', pemOf(rsa, 'pkcs1').replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\n\n')],
    ['RSA of 8200 bits', rsaKeyOf({}, 8200)],
    ...['e', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map((part): [string, string] => [
      `RSA of 2048 bits with a ${part} of 9000`,
      rsaKeyOf({ [part]: 9000 }, 2048),
    ]),
    ['RSA of three primes', rsaKeyOf({ other: 1024 }, 2048)],
    ['another algorithm', pkcs8('2a8648ce380401', derInteger(1))],
    ['RSA that is cut off', pkcs8('2a864886f70d010101', rsa.export({ type: 'pkcs1', format: 'der' }).subarray(0, 99))],
    ['a length of no end', '-----BEGIN RSA PRIVATE KEY-----\nMIAA\n-----END RSA PRIVATE KEY-----'],
    ['a length of nine bytes', '-----BEGIN RSA PRIVATE KEY-----\nMIkB\n-----END RSA PRIVATE KEY-----'],
    ['a lot of text', `${' '.repeat(16 * 1024)}${pemOf(ec)}`],
  ])('%s', (_sentence, text) => expect(privateKeyIn(text)).toBeUndefined());
});
