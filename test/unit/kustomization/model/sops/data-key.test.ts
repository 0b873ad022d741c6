import { deflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { armor, createMessage, encrypt, enums } from 'openpgp';
import { dataKeyOf, keyringOf } from '#controllers/kustomization/model/sops/data-key.js';
import { metadataOf, type Metadata } from '#controllers/kustomization/model/sops/metadata.js';
import { readTrees } from '#controllers/kustomization/model/sops/tree.js';
import { fixture, keyring } from './fixtures.js';

function metadataIn(name: string): Metadata {
  const [document] = readTrees(fixture(name));
  const metadata = document && metadataOf(document);
  if (metadata === undefined) throw new Error(`${name} is not encrypted`);
  return metadata;
}

test('the same key for every recipient', async () => {
  const metadata = metadataIn('both.yaml');
  const keys = await Promise.all(
    ['own.agekey', 'other.agekey'].map(async (name) => dataKeyOf(metadata, await keyring(name))),
  );
  expect(keys[0]).toHaveLength(32);
  expect(keys[0]).toEqual(keys[1]);
});

test('a PGP key among others', async () => {
  expect(await dataKeyOf(metadataIn('pgp.yaml'), await keyring('other.agekey', 'own.asc'))).toHaveLength(32);
});

const MIB = 1024 * 1024;

/** What a message of a few hundred KiB may be once it is decompressed. */
const ZEROS = Buffer.alloc(128 * MIB);

async function encrypted(): Promise<string> {
  const message = await createMessage({ binary: ZEROS });
  const { pgp } = await keyring('own.asc');
  const config = { preferredCompressionAlgorithm: enums.compression.zlib };
  const armored: unknown = await encrypt({ message, encryptionKeys: [...pgp], config });
  return String(armored);
}

/** One packet: its tag, its length in four bytes, and zlib as the algorithm. */
function onlyCompressed(): Promise<string> {
  const content = deflateSync(ZEROS);
  const header = Buffer.from([0xc8, 0xff, 0, 0, 0, 0, enums.compression.zlib]);
  header.writeUInt32BE(content.length + 1, 2);
  return Promise.resolve(armor(enums.armor.message, Buffer.concat([header, content])));
}

test.each([
  ['is encrypted', encrypted],
  ['is only compressed', onlyCompressed],
])('a PGP message that %s is not decompressed to more than a key', async (_title, message) => {
  const metadata = { ...metadataIn('pgp.yaml'), pgp: [{ recipient: 'F', text: await message() }] };
  const keys = await keyring('own.asc');
  let [least, growth] = [Infinity, 0];
  const timer = setInterval(() => {
    const { arrayBuffers } = process.memoryUsage();
    least = Math.min(least, arrayBuffers);
    growth = Math.max(growth, arrayBuffers - least);
  }, 1);
  await expect(dataKeyOf(metadata, keys)).rejects.toThrow('no key of Secret/team/keys decrypts it');
  clearInterval(timer);
  expect(growth).toBeLessThan(32 * MIB);
});

test.each<[string, Partial<Metadata>, string]>([
  ['nobody whose key there is', {}, 'no key of Secret/team/keys decrypts it: add the private key of age1'],
  [
    'a key service only',
    { age: [], services: ['hc_vault'] },
    'is encrypted by hc_vault, and key services are not asked',
  ],
  ['somebody who says to be another', { age: [], pgp: [{ recipient: 'F', text: 'x' }] }, 'add the private key of F'],
])('a file for %s has no key', async (_title, change, problem) => {
  const metadata = { ...metadataIn('other.yaml'), ...change };
  await expect(dataKeyOf(metadata, await keyring('own.agekey', 'own.asc'))).rejects.toThrow(problem);
});

test.each<[string, { age: string[]; pgp: string[] }, string]>([
  ['age identities', { age: [`${'AGE-SECRET-KEY-1\n'.repeat(51)}# a comment`], pgp: [] }, '51 age identities'],
  ['PGP keys', { age: [], pgp: Array<string>(52).fill('x') }, '52 PGP keys (*.asc)'],
])('too many %s are refused', async (_title, keys, count) => {
  const attempt = keyringOf({ shown: 'Secret/team/keys', ...keys });
  await expect(attempt).rejects.toThrow(`Secret/team/keys has ${count}, and at most 50 are supported: remove some`);
});

test.each([
  ['an age identity', { age: ['AGE-SECRET-KEY-1QQ'], pgp: [] }],
  ['a PGP key', { age: [], pgp: ['-----BEGIN PGP PRIVATE KEY BLOCK-----'] }],
])('%s that cannot be read is not shown', async (_title, keys) => {
  const attempt = keyringOf({ shown: 'Secret/team/keys', ...keys });
  await expect(attempt).rejects.toThrow('Secret/team/keys has a key that cannot be read');
  await expect(attempt).rejects.not.toThrow(/AGE-SECRET-KEY|BEGIN PGP/);
});
