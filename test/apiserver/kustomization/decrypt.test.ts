import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { secretResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { eventually } from '../../support/world.js';
import { configMap, createHarness, type Files, type Harness } from './harness.js';

/** What the real sops, age and gpg made. */
const fixture = (name: string): string => readFileSync(`test/fixtures/sops/${name}`, 'utf8');
const DECRYPTION = { provider: 'sops' as const, secretRef: { name: 'keys' } };

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('decrypted');
  await give('keys', { 'own.agekey': fixture('own.agekey'), 'own.asc': fixture('own.asc') });
});

afterAll(() => harness.close());

async function give(name: string, stringData: Files): Promise<void> {
  const metadata = { name, namespace: harness.namespace };
  const object: Unstructured = { apiVersion: 'v1', kind: 'Secret', metadata, stringData };
  await harness.host.apply(secretResource, object, { fieldManager: 'test', force: true });
}

async function untilData(name: string, data: Readonly<Record<string, unknown>>): Promise<void> {
  await eventually(async () => {
    const secret = await harness.host.get<Unstructured>(secretResource, { name, namespace: harness.namespace });
    const found = isMap(secret?.['data']) ? Object.entries(secret['data']) : [];
    const texts = found.map(([key, text]) => [key, Buffer.from(String(text), 'base64').toString('latin1')]);
    expect(Object.fromEntries(texts)).toEqual(data);
  });
}

test('resources, files and variables of generated Secrets, and patches are decrypted', async () => {
  const kustomization = {
    resources: ['secret.yaml', 'pgp.yaml', 'patched.yaml'],
    secretGenerator: [{ name: 'generated', files: ['blob.bin', 'config.json=config.json'], envs: ['app.env'] }],
    patches: [{ path: 'patch.yaml', target: { kind: 'Secret', name: 'patched' } }],
    generatorOptions: { disableNameSuffixHash: true },
  };
  const names = ['secret.yaml', 'pgp.yaml', 'blob.bin', 'config.json', 'app.env'];
  const patched = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'patched' },
    stringData: { a: 'b' },
  });
  await harness.publish('all', {
    'kustomization.yaml': JSON.stringify(kustomization),
    ...Object.fromEntries(names.map((name) => [name, fixture(name)])),
    'patched.yaml': patched,
    'patch.yaml': fixture('secret.yaml'),
  });
  await harness.apply('all', { decryption: DECRYPTION });
  await harness.untilReady('all');
  await untilData('by-age', { password: 's3cret', port: '8080' });
  await untilData('by-pgp', { password: 's3cret', port: '8080' });
  await untilData('patched', { a: 'b', password: 's3cret', port: '8080' });
  await untilData('generated', {
    'blob.bin': '\x00\xffbinary\n',
    'config.json': expect.stringContaining('"x\\u003cy"'),
    USER: 'admin',
    PASSWORD: 'two words\\nand more',
  });
});

test('without spec.decryption an encrypted Secret is refused', async () => {
  await harness.publish('sealed', { 'secret.yaml': fixture('several.yaml') });
  await harness.apply('sealed');
  expect(await harness.untilNotReady('sealed', 'ReconciliationFailed')).toContain(
    'encrypted by SOPS, and not decrypted',
  );
});

test('what cannot be decrypted is refused with its file, the inventory stays, and a new key is used at once', async () => {
  await harness.publish('locked', { 'a.yaml': configMap('locked') });
  await give('late', {});
  await harness.apply('locked', { decryption: { provider: 'sops', secretRef: { name: 'late' } } });
  await harness.untilReady('locked');
  await harness.publish('locked', { 'a.yaml': configMap('locked'), 'other.yaml': fixture('other.yaml') });
  const message = await harness.untilNotReady('locked', 'BuildFailed');
  expect(message).toContain('other.yaml no key of Secret/');
  expect((await harness.read('locked')).status?.inventory?.entries).toHaveLength(1);
  await give('late', { 'other.agekey': fixture('other.agekey') });
  await untilData('for-other', { password: 's3cret', port: '8080' });
});

test.each<[string, string, string]>([
  ['tampered', fixture('several.yaml').replace('name: second', 'name: mine'), 'its MAC does not match'],
  ['damaged', fixture('several.yaml').replace('password:', 'other:'), 'the value of stringData.other is damaged'],
  ['huge', `# ${'x'.repeat(6 * 1024 * 1024)}\n${fixture('several.yaml')}`, 'has more than 5242880 bytes'],
])('a file that is %s is refused', async (name, text, problem) => {
  await harness.publish(name, { 'dir/secret.yaml': text });
  await harness.apply(name, { decryption: DECRYPTION });
  const message = await harness.untilNotReady(name, 'BuildFailed');
  expect(message).toContain('dir/secret.yaml ');
  expect(message).toContain(problem);
  expect(message).not.toContain('s3cret');
});

test('a Secret with keys that is missing, or for a key service, is named', async () => {
  await harness.publish('keyless', { 'a.yaml': configMap('keyless') });
  await harness.apply('keyless', { decryption: { provider: 'sops', secretRef: { name: 'vault' } } });
  expect(await harness.untilNotReady('keyless', 'BuildFailed')).toContain('vault not found: create it');
  await give('vault', { 'sops.vault-token': 't0ken' });
  await eventually(async () => {
    const ready = (await harness.read('keyless')).status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('has the key sops.vault-token');
  });
});

test('what kustomize says of decrypted files is not shown', async () => {
  const kustomization = JSON.stringify({
    resources: ['secret.yaml'],
    patches: [{ path: 'patch.yaml', target: { kind: 'None' } }],
  });
  await harness.publish('broken', {
    'kustomization.yaml': kustomization,
    'secret.yaml': fixture('secret.yaml'),
    'patch.yaml': 's3cret',
  });
  await harness.apply('broken', { decryption: DECRYPTION });
  expect(await harness.untilNotReady('broken', 'BuildFailed')).toContain('why is withheld');
  expect(JSON.stringify((await harness.read('broken')).status)).not.toContain('s3cret');
});
