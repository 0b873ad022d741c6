import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decryptTrees } from '#controllers/kustomization/model/sops/decrypt-trees.js';
import { dataKeyOf } from '#controllers/kustomization/model/sops/data-key.js';
import { metadataOf, type Metadata } from '#controllers/kustomization/model/sops/metadata.js';
import { printJsonTree, readTrees, type Branch } from '#controllers/kustomization/model/sops/tree.js';
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

const KEY = randomBytes(32);

/** As sops does it. */
function sealed(text: string, path: string, type: string): string {
  const iv = randomBytes(32);
  const cipher = createCipheriv('aes-256-gcm', KEY, iv).setAAD(Buffer.from(path));
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  const parts = { data, iv, tag: cipher.getAuthTag() };
  const shown = Object.entries(parts).map(([name, bytes]) => `${name}:${bytes.toString('base64')}`);
  return `ENC[AES256_GCM,${shown.join(',')},type:${type}]`;
}

/** A value that was encrypted as this type, as JSON; decrypted. `after` is what somebody put behind it. */
function opened(text: string, type: string, after = ''): string {
  const lastModified = '2026-01-01T00:00:00Z';
  const digest = createHash('sha512').update(text).digest('hex').toUpperCase();
  const document = JSON.stringify({ a: sealed(text, 'a:', type) + after });
  const mac = sealed(digest, lastModified, 'str');
  const rest = { age: [], pgp: [], services: [], macOnlyEncrypted: false, isEncrypted: () => true };
  const { documents } = decryptTrees(readTrees(document), { ...rest, mac, lastModified }, KEY);
  return documents.map((branch) => printJsonTree(branch).replaceAll(/\s/g, '')).join('');
}

test.each<[text: string, type: string, json: string]>([
  ['12', 'int', '12'],
  ['-9007199254740993', 'int', '-9007199254740993'],
  ['1.5', 'float', '1.5'],
  ['1e-09', 'float', '1e-09'],
  ['True', 'bool', 'true'],
  ['false', 'bool', 'false'],
  ['12', 'str', '"12"'],
  ['12', 'bytes', '"12"'],
  ['{"b":1}', 'str', '"{\\"b\\":1}"'],
])('%s of type %s is written as %s', (text, type, json) => {
  expect(opened(text, type)).toBe(`{"a":${json}}`);
});

test.each<[text: string, type: string]>([
  ['{"b": 1}', 'int'],
  ['1, "b": 2', 'int'],
  ['1.5', 'int'],
  ['*s3cret', 'float'],
  ['.inf', 'float'],
  ['yes', 'bool'],
  ['s3cret', 'comment'],
  ['s3cret', 'other'],
])('%s is refused as a value of type %s', (text, type) => {
  expect(() => opened(text, type)).toThrow('the value of a is damaged');
});

test('what follows an encrypted value is refused', () => {
  expect(() => opened('s3cret', 'str', ' more')).toThrow('the value of a is damaged');
});
