import { expect, test } from '@jest/globals';
import { dataKeyOf, keyringOf } from '#controllers/flux/kustomization/model/sops/data-key.js';
import { metadataOf, type Metadata } from '#controllers/flux/kustomization/model/sops/metadata.js';
import { readTrees } from '#controllers/flux/kustomization/model/sops/tree.js';
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

test.each([
  ['an age identity', { age: ['AGE-SECRET-KEY-1QQ'], pgp: [] }],
  ['a PGP key', { age: [], pgp: ['-----BEGIN PGP PRIVATE KEY BLOCK-----'] }],
])('%s that cannot be read is not shown', async (_title, keys) => {
  const attempt = keyringOf({ shown: 'Secret/team/keys', ...keys });
  await expect(attempt).rejects.toThrow('Secret/team/keys has a key that cannot be read');
  await expect(attempt).rejects.not.toThrow(/AGE-SECRET-KEY|BEGIN PGP/);
});
