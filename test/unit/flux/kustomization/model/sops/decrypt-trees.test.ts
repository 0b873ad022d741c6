import { expect, test } from '@jest/globals';
import { decryptTrees } from '#controllers/flux/kustomization/model/sops/decrypt-trees.js';
import { dataKeyOf } from '#controllers/flux/kustomization/model/sops/data-key.js';
import { metadataOf, type Metadata } from '#controllers/flux/kustomization/model/sops/metadata.js';
import { readTrees, type Branch } from '#controllers/flux/kustomization/model/sops/tree.js';
import { fixture, keyring } from './fixtures.js';

async function read(): Promise<{ readonly documents: Branch[]; readonly metadata: Metadata; readonly key: Buffer }> {
  const documents = readTrees(fixture('several.yaml'));
  const [document] = documents;
  const metadata = document && metadataOf(document);
  if (metadata === undefined) throw new Error('the fixture is not encrypted');
  return { documents, metadata, key: await dataKeyOf(metadata, await keyring('own.agekey')) };
}

test('the MAC is over all documents, in their order', async () => {
  const { documents, metadata, key } = await read();
  expect(decryptTrees(documents, metadata, key).values).toEqual(['s3cret', '8080', 's3cret', '8080']);
  const orders = [documents.slice(1), [...documents].reverse(), [...documents, ...documents]];
  for (const order of orders) expect(() => decryptTrees(order, metadata, key)).toThrow('its MAC does not match');
});

test('another key opens nothing', async () => {
  const { documents, metadata } = await read();
  expect(() => decryptTrees(documents, metadata, Buffer.alloc(32))).toThrow('stringData.password is damaged');
});

test('a MAC that is not there does not match', async () => {
  const { documents, metadata, key } = await read();
  expect(() => decryptTrees(documents, { ...metadata, mac: 'none' }, key)).toThrow('its MAC does not match');
});
