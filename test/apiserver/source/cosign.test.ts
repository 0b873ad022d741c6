import { generateKeyPairSync, sign } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { Pusher, sha256, tarLayer, type PushedLayer } from '../../support/oci.js';
import { cosignPayload, keyBundle, Sigstore, statement } from '../../support/sigstore.js';
import { conditionOf, useHarness, type SourceView } from './harness.js';

const harness = useHarness('src-cosign');
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const nextKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sigstore = new Sigstore();
const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const BY_KEY = { verify: { provider: 'cosign', secretRef: { name: 'keys' } } };
const KEYLESS = { verify: { provider: 'cosign', trustedRootSecretRef: { name: 'root' } } };

interface Repository {
  readonly pusher: Pusher;
  readonly url: string;
  /** Of the artifact that was pushed last. */
  readonly push: (content: string) => Promise<string>;
  /** Signature layers of an artifact, the newest last. */
  readonly sign: (digest: string, ...layers: readonly PushedLayer[]) => Promise<unknown>;
}

/** A repository that only one test uses. */
function repository(name: string): Repository {
  const place = `${harness.namespace}/${name}`;
  const { registry } = harness.world;
  const pusher = new Pusher(`http://${registry}`, place);
  return {
    pusher,
    url: `oci://${registry}/${place}`,
    push: async (content) => pusher.image('latest', [await tarLayer({ 'app.yaml': `a: ${content}\n` })]),
    sign: (digest, ...layers) => pusher.image(`${digest.replace(':', '-')}.sig`, layers),
  };
}

function layer(payload: string, annotations: Readonly<Record<string, string>>): PushedLayer {
  return { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', data: Buffer.from(payload), annotations };
}

/** As `cosign sign --key` writes it. */
function signed(digest: string, by = key.privateKey): PushedLayer {
  const payload = cosignPayload(digest);
  const signature = sign('sha256', Buffer.from(payload), by).toString('base64');
  return layer(payload, { 'dev.cosignproject.cosign/signature': signature });
}

const bundle = (text: string): PushedLayer => ({ mediaType: BUNDLE, data: Buffer.from(text) });

async function apply(name: string, { url }: Repository, spec: object): Promise<void> {
  await harness.apply('OCIRepository', name, { url, insecure: true, ...spec });
}

async function untilVerified(name: string, message: string): Promise<SourceView> {
  const source = await harness.untilReady('OCIRepository', name);
  expect(conditionOf(source, 'SourceVerified')).toMatchObject({ status: 'True', reason: 'Succeeded', message });
  return source;
}

function untilRefused(kind: 'OCIRepository' | 'HelmChart', name: string, message: RegExp): Promise<SourceView> {
  const facts = { status: 'False', reason: 'VerificationError', message: expect.stringMatching(message) as unknown };
  return harness.until(kind, name, (current) => {
    expect(conditionOf(current, 'SourceVerified')).toMatchObject(facts);
    expect(conditionOf(current, 'Ready')).toMatchObject(facts);
  });
}

beforeAll(async () => {
  const secret = (name: string, stringData: Record<string, string>): Promise<unknown> => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace } };
    return harness.host.create(secretResource, { ...object, stringData } as typeof object);
  };
  const pem = (of: typeof key): string => of.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  await secret('keys', { 'next.pub': pem(nextKey), 'ours.pub': pem(key), 'cosign.key': 'not looked at' });
  await secret('no-keys', { 'ours.pem': pem(key) });
  await secret('bad-keys', { 'ours.pub': 'ssh-ed25519 AAAA' });
  await secret('root', { 'trusted_root.json': sigstore.trustedRoot() });
});

describe('an OCIRepository', () => {
  test.each([
    ['layer', (place: Repository, digest: string) => place.sign(digest, signed(digest))],
    [
      'bundle',
      ({ pusher }: Repository, digest: string) =>
        pusher.referrer(digest, bundle(keyBundle(statement(digest), key.privateKey))),
    ],
  ])('is verified by a key: signature in a %s', async (name, signIt) => {
    const place = repository(name);
    const digest = await place.push('1');
    await signIt(place, digest);
    await apply(name, place, BY_KEY);
    const { status } = await untilVerified(name, `verified signature of revision latest@${digest}`);
    // The annotation of the test, and the answer to it.
    expect(await harness.writesDuring(name, () => harness.reconcile('OCIRepository', name))).toHaveLength(2);
    const after = await untilVerified(name, `verified signature of revision latest@${digest}`);
    expect(after.status?.artifact).toEqual(status?.artifact);
  });

  test('keeps its artifact until the next one is signed', async () => {
    const place = repository('moves');
    const first = await place.push('1');
    await place.sign(first, signed(first));
    await apply('moves', place, BY_KEY);
    const before = await untilVerified('moves', `verified signature of revision latest@${first}`);
    const second = await place.push('2');
    const shown = `${place.url.replace('oci://', '')}@${second}`;
    await harness.reconcile('OCIRepository', 'moves');
    const refused = await untilRefused('OCIRepository', 'moves', /^failed to verify the signature using provider 'co/);
    expect(conditionOf(refused, 'Ready')?.message).toBe(
      `failed to verify the signature using provider 'cosign': no matching signatures were found for '${shown}'`,
    );
    expect(refused.status?.artifact).toEqual(before.status?.artifact);
    await place.sign(second, signed(second));
    await harness.reconcile('OCIRepository', 'moves');
    const after = await untilVerified('moves', `verified signature of revision latest@${second}`);
    expect(after.status?.artifact?.revision).toBe(`latest@${second}`);
  });

  test.each<[string, (digest: string) => PushedLayer, RegExp]>([
    ['another', () => signed(`sha256:${'0'.repeat(64)}`), /\(it signs another artifact\)$/],
    [
      'stranger',
      (digest) => signed(digest, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      /\(none of the keys made it\)$/,
    ],
  ])('is refused with a signature of %s', async (name, make, message) => {
    const place = repository(`of-${name}`);
    const digest = await place.push('1');
    await place.sign(digest, make(digest));
    await apply(`of-${name}`, place, BY_KEY);
    const { status } = await untilRefused('OCIRepository', `of-${name}`, message);
    expect(status?.artifact).toBeUndefined();
  });

  test('reads the newest of very many signatures, and no more', async () => {
    const place = repository('many');
    const digest = await place.push('1');
    const ours = signed(digest);
    const damaged = { ...ours, annotations: { 'dev.cosignproject.cosign/signature': 'AAAA' } };
    const many = Array.from({ length: 1_500 }, () => damaged);
    await place.sign(digest, ours, ...many);
    await apply('many', place, BY_KEY);
    await untilRefused('OCIRepository', 'many', /\(none of the keys made it\)$/);
    await place.sign(digest, ...many, ours);
    await harness.reconcile('OCIRepository', 'many');
    await untilVerified('many', `verified signature of revision latest@${digest}`);
  });

  test.each([
    ['absent', 'absent', /^Secret '.*\/absent' named by spec\.verify\.secretRef does not exist: create it$/],
    ['no-keys', 'no-keys', /spec\.verify\.secretRef: it has no public keys: add one as NAME\.pub$/],
    ['bad-keys', 'bad-keys', /\(ours\.pub is not one public key/],
  ])('names what its Secret lacks: %s', async (name, secret, message) => {
    const place = repository(name);
    await place.push('1');
    await apply(name, place, { verify: { secretRef: { name: secret } } });
    await untilRefused('OCIRepository', name, message);
  });

  test('is verified without a key, by the trust root of a Secret and an accepted signer', async () => {
    const place = repository('keyless');
    const digest = await place.push('1');
    const payload = cosignPayload(digest);
    await place.sign(digest, layer(payload, sigstore.annotations(payload)));
    const matchOIDCIdentity = [{ issuer: '^https://issuer\\.example\\.com$', subject: '^ci@example\\.com$' }];
    const verify = { ...KEYLESS.verify, matchOIDCIdentity };
    await apply('keyless', place, { verify });
    await untilVerified('keyless', `verified signature of revision latest@${digest}`);
    const others = [{ issuer: '.*', subject: '^ci@example\\.org$' }];
    await apply('keyless', place, { verify: { ...verify, matchOIDCIdentity: others } });
    await untilRefused('OCIRepository', 'keyless', /^failed .* 'cosign keyless': .*does not accept "ci@example\.com"/);
  });
});

describe('a HelmChart of a registry', () => {
  const chart = (name: string, verify?: object): Record<string, unknown> => ({
    ...{ chart: name, version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'registry' } },
    ...(verify && { verify }),
  });

  interface PushedChart {
    readonly place: Repository;
    /** Of its manifest. */
    readonly digest: string;
    /** Of the chart itself. */
    readonly archive: string;
  }

  /** Version 1.0.0, also when it was pushed before. */
  async function pushChart(name: string, notes = ''): Promise<PushedChart> {
    await harness.publish({ name, version: '1.0.0', files: { 'templates/NOTES.txt': notes } });
    const files = await readdir(harness.helmRoot, { recursive: true });
    const file = files.find((each) => each.endsWith(`${name}-1.0.0.tgz`)) ?? '';
    const data = await readFile(path.join(harness.helmRoot, file));
    const place = repository(name);
    const mediaType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
    return { place, digest: await place.pusher.image('1.0.0', [{ mediaType, data }]), archive: sha256(data) };
  }

  beforeAll(async () => {
    const url = `oci://${harness.world.registry}/${harness.namespace}`;
    await harness.apply('HelmRepository', 'registry', { type: 'oci', url, insecure: true });
  });

  test('has no artifact before it is signed', async () => {
    const { place, digest } = await pushChart('signed');
    await harness.apply('HelmChart', 'signed', chart('signed', BY_KEY.verify));
    const refused = await untilRefused('HelmChart', 'signed', /no matching signatures were found for '.*@sha256:/);
    expect(refused.status?.artifact).toBeUndefined();
    await place.sign(digest, signed(digest));
    await harness.reconcile('HelmChart', 'signed');
    const verified = await harness.untilReady('HelmChart', 'signed');
    const facts = { status: 'True', reason: 'Succeeded', message: 'verified signature of version 1.0.0' };
    expect(conditionOf(verified, 'SourceVerified')).toMatchObject(facts);
    await harness.reconcile('HelmChart', 'signed');
    expect(conditionOf(await harness.untilReady('HelmChart', 'signed'), 'SourceVerified')).toMatchObject(facts);
    const again = await pushChart('signed', 'pushed again');
    await place.sign(again.digest, signed(again.digest, nextKey.privateKey));
    await harness.reconcile('HelmChart', 'signed');
    const after = await harness.untilReady('HelmChart', 'signed');
    expect(conditionOf(after, 'SourceVerified')).toMatchObject(facts);
    expect(after.status?.artifact?.digest).toBe(again.archive);
  });

  test('without a key is verified by the trust root of the controller, whatever was stored before', async () => {
    const unsigned = await pushChart('keyless-chart');
    await harness.apply('HelmChart', 'keyless', chart('keyless-chart'));
    const before = await harness.untilReady('HelmChart', 'keyless');
    expect(before.status?.artifact?.digest).toBe(unsigned.archive);
    await harness.apply('HelmChart', 'keyless', chart('keyless-chart', { provider: 'cosign' }));
    const refused = await untilRefused('HelmChart', 'keyless', /start the controller with --sigstore-trusted-root$/);
    expect(conditionOf(refused, 'Stalled')?.status).toBe('True');
    const { place, digest, archive } = await pushChart('keyless-chart', 'pushed again');
    await place.pusher.referrer(digest, bundle(sigstore.bundle(statement(digest))));
    const file = path.join(harness.helmRoot, 'trusted_root.json');
    await writeFile(file, sigstore.trustedRoot());
    await harness.restart({ trustedRootFile: file });
    const verified = await harness.untilReady('HelmChart', 'keyless');
    expect(conditionOf(verified, 'SourceVerified')?.status).toBe('True');
    expect(verified.status?.artifact?.digest).toBe(archive);
  });

  test('of another source has no signature', async () => {
    await harness.apply('HelmRepository', 'http', { url: harness.helmUrl });
    const sourceRef = { kind: 'HelmRepository', name: 'http' };
    await harness.apply('HelmChart', 'http', { chart: 'any', sourceRef, verify: { provider: 'cosign' } });
    await untilRefused('HelmChart', 'http', /^spec\.verify is for charts of a HelmRepository of type oci/);
  });
});
