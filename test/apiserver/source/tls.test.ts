import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretResource } from '#api/core.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { conditionOf, useHarness } from './harness.js';

/** A server on `localhost` that notes which logins it was shown. */
interface Door {
  readonly origin: string;
  readonly seen: Set<string | undefined>;
}

const harness = useHarness('src-tls');
const servers: Listening[] = [];
/** Of the index, of the archives, and of nobody. */
const [OURS, FILES] = [selfSignedCertificate('localhost', 'index'), selfSignedCertificate('localhost', 'files')];
const LOGIN = `Basic ${Buffer.from('robot:secret').toString('base64')}`;

async function door(answer: RequestListener, certificate?: { cert: string; key: string }): Promise<Door> {
  const seen = new Set<string | undefined>();
  const listener: RequestListener = (request, response) => {
    seen.add(request.headers.authorization);
    answer(request, response);
  };
  const server = certificate === undefined ? createPlainServer(listener) : createServer(certificate, listener);
  const listening = await listen(server);
  servers.push(listening);
  return { origin: `${certificate === undefined ? 'http' : 'https'}://localhost:${listening.address.port}`, seen };
}

/** Redirects all requests to the same path of another server. */
function moved(to: () => string): RequestListener {
  return ({ url = '/' }, response) => response.writeHead(301, { location: to() + url }).end();
}

async function secret(name: string, stringData: Record<string, string>): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace }, stringData };
  await harness.host.create(secretResource, object);
}

let index: Door;
let files: Door;
let entrance: Door;
let plain: Door;

beforeAll(async () => {
  await harness.publish({ name: 'web', version: '1.0.0' });
  const fileOf = (url = ''): Promise<Buffer> => readFile(path.join(harness.helmRoot, path.basename(url)));
  files = await door(({ url }, response) => void fileOf(url).then((body) => response.end(body)), FILES);
  entrance = await door(
    moved(() => files.origin),
    OURS,
  );
  index = await door((_request, response) => {
    const absolute = (text: Buffer): string => text.toString().replace('- web-1', `- ${entrance.origin}/web-1`);
    void fileOf('index.yaml').then((text) => response.end(absolute(text)));
  }, OURS);
  plain = await door(moved(() => index.origin));
  await secret('authority', { 'ca.crt': `${OURS.cert}${FILES.cert}` });
  await secret('login', { username: 'robot', password: 'secret' });
});

afterAll(async () => {
  await Promise.all(servers.map(({ close }) => close()));
});

const TRUSTED = { certSecretRef: { name: 'authority' }, secretRef: { name: 'login' } };

test('a private CA is for every URL of the repository, and for redirects; the login is for its host only', async () => {
  await harness.apply('HelmRepository', 'private', { url: index.origin, ...TRUSTED });
  const sourceRef = { kind: 'HelmRepository', name: 'private' };
  await harness.apply('HelmChart', 'private', { chart: 'web', sourceRef });
  expect((await harness.untilReady('HelmChart', 'private')).status?.artifact?.revision).toBe('1.0.0');
  expect(index.seen).toEqual(new Set([LOGIN]));
  expect([...entrance.seen, ...files.seen]).toEqual([undefined, undefined]);
});

test('a login goes with a redirect to the same host that uses TLS', async () => {
  await harness.apply('HelmRepository', 'upgraded', { url: plain.origin, ...TRUSTED });
  await harness.untilReady('HelmRepository', 'upgraded');
  expect(index.seen).toEqual(new Set([LOGIN]));
});

test('a Secret of spec.secretRef may hold certificates alone', async () => {
  await harness.apply('HelmRepository', 'certificates', { url: index.origin, secretRef: { name: 'authority' } });
  await harness.untilReady('HelmRepository', 'certificates');
});

describe('a certificate that has expired', () => {
  const EXPIRED = selfSignedCertificate('localhost', 'expired', { isExpired: true });
  /** A server never sees what is asked: the handshake comes first. */
  let expired: Door;

  beforeAll(async () => {
    expired = await door((_request, response) => response.end(), EXPIRED);
    await secret('expired', { 'ca.crt': EXPIRED.cert });
  });

  const [certSecretRef, secretRef] = [{ name: 'expired' }, { name: 'expired' }];
  const ofRepository = { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'expired-oci' } };
  const place = (): string => new URL(expired.origin).host;

  test.each<[Parameters<typeof harness.apply>[0], () => Record<string, unknown>]>([
    ['GitRepository', () => ({ url: `${expired.origin}/app.git`, secretRef })],
    ['HelmRepository', () => ({ url: expired.origin, certSecretRef })],
    ['OCIRepository', () => ({ url: `oci://${place()}/app`, certSecretRef })],
    ['HelmChart', () => ofRepository],
    ['Bucket', () => ({ endpoint: place(), bucketName: 'bucket', certSecretRef })],
  ])('is named: %s', async (kind, spec) => {
    await harness.apply('HelmRepository', 'expired-oci', { type: 'oci', url: `oci://${place()}`, certSecretRef });
    await harness.apply(kind, 'expired', spec());
    await harness.until(kind, 'expired', (current) => {
      const message = expect.stringMatching(/has.expired/i) as unknown;
      expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', message });
      expect(JSON.stringify(current.status)).not.toContain(tmpdir());
    });
    expect(expired.seen).toEqual(new Set());
  });
});

test('without the CA the server is not trusted', async () => {
  await harness.apply('HelmRepository', 'unknown', { url: index.origin });
  await harness.until('HelmRepository', 'unknown', (current) => {
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason: 'IndexationFailed' });
  });
});
