import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { secretResource } from '#api/core.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { forward } from '#bench/scenarios/counting-proxy.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { conditionOf, createHarness, type Harness } from './harness.js';

const CERTIFICATE = selfSignedCertificate('secure.test', 'charts');

const FRIEND = `Basic ${Buffer.from('friend:mellon').toString('base64')}`;

let harness: Harness;
let proxy: Listening;
let secure: Listening;
/** A proxy that wants a login. */
let guarded: Listening;
/** What the proxy was asked for. */
const asked: string[] = [];
/** Where the names that only the proxy can resolve lead. */
const PLACES = new Map<string, () => string>([
  ['charts.test', () => harness.helmUrl],
  ['git.test', () => harness.gitUrl],
  // Only for those who log in.
  ['guarded.test', () => harness.gitUrl],
]);

function forwardStranger(incoming: IncomingMessage, response: ServerResponse): void {
  if (new URL(incoming.url ?? '').host === 'guarded.test') response.writeHead(403).end();
  else forwardNamed(incoming, response);
}

function forwardNamed(incoming: IncomingMessage, response: ServerResponse): void {
  const wanted = new URL(incoming.url ?? '');
  asked.push(wanted.host);
  forward(new URL(wanted.pathname + wanted.search, PLACES.get(wanted.host)?.()), incoming, response);
}

function forwardFriend(incoming: IncomingMessage, response: ServerResponse): void {
  if (incoming.headers['proxy-authorization'] === FRIEND) forwardNamed(incoming, response);
  else response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
}

function tunnel({ url = '' }: IncomingMessage, socket: Socket): void {
  asked.push(url);
  const target = connect(secure.address.port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('error', () => target.destroy());
}

beforeAll(async () => {
  const charts = createTlsServer(CERTIFICATE, ({ url = '' }, response) => {
    void readFile(path.join(harness.helmRoot, path.basename(url))).then((body) => response.end(body));
  });
  secure = await listen(charts);
  proxy = await listen(createServer(forwardStranger).on('connect', tunnel));
  guarded = await listen(createServer(forwardFriend));
  const url = `http://127.0.0.1:${proxy.address.port}`;
  harness = await createHarness('src-proxy', { proxies: { http: url, https: url, none: 'direct.test' } });
  await harness.publish({ name: 'web', version: '1.0.0' });
});

beforeEach(() => void asked.splice(0));

afterAll(async () => {
  await harness.close();
  // A tunnel may outlive them.
  for (const server of [proxy, secure, guarded]) void server.close();
});

test('charts are downloaded through the proxy', async () => {
  await harness.apply('HelmRepository', 'plain', { url: 'http://charts.test/charts' });
  await harness.apply('HelmChart', 'plain', { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'plain' } });
  await harness.untilReady('HelmChart', 'plain');
  expect(asked).toEqual(['charts.test', 'charts.test']);
});

test('with TLS through a tunnel, in which the certificate is checked', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'authority', namespace: harness.namespace } };
  await harness.host.create(secretResource, { ...secret, stringData: { 'ca.crt': CERTIFICATE.cert } } as typeof secret);
  const url = 'https://secure.test/charts';
  await harness.apply('HelmRepository', 'secure', { url, certSecretRef: { name: 'authority' } });
  await harness.untilReady('HelmRepository', 'secure');
  expect(asked).toEqual(['secure.test:443']);
  await harness.apply('HelmRepository', 'unknown', { url });
  await harness.until('HelmRepository', 'unknown', (current) => {
    expect(conditionOf(current, 'Ready')?.message).toMatch(/secure\.test\S* through the proxy http:\S+: DEPTH_ZERO/);
  });
  await harness.remove('HelmRepository', 'unknown');
});

test('git uses it, too', async () => {
  await harness.apply('GitRepository', 'app', { url: 'http://git.test/app.git', ref: { branch: 'main' } });
  await harness.untilReady('GitRepository', 'app');
  expect(new Set(asked)).toEqual(new Set(['git.test']));
});

test('git uses the one of spec.proxySecretRef in its place', async () => {
  const metadata = { name: 'proxy', namespace: harness.namespace };
  const address = `http://127.0.0.1:${guarded.address.port}`;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
  const stringData = { address, username: 'friend', password: 'mellon\n' };
  await harness.host.create(secretResource, { ...secret, stringData } as typeof secret);
  const spec = { url: 'http://guarded.test/app.git', ref: { branch: 'main' }, proxySecretRef: { name: 'proxy' } };
  await harness.apply('GitRepository', 'guarded', spec);
  await harness.untilReady('GitRepository', 'guarded');
  expect(new Set(asked)).toEqual(new Set(['guarded.test']));
  await harness.apply('GitRepository', 'by-ssh', { ...spec, url: 'ssh://git@guarded.test/app.git' });
  await harness.until('GitRepository', 'by-ssh', (current) => {
    expect(conditionOf(current, 'Stalled')).toMatchObject({ reason: 'FeatureNotSupported' });
  });
});

test('loopback and what is excepted are reached directly', async () => {
  await harness.apply('HelmRepository', 'local', { url: harness.helmUrl });
  await harness.untilReady('HelmRepository', 'local');
  await harness.apply('HelmRepository', 'direct', { url: 'http://direct.test/charts' });
  await harness.until('HelmRepository', 'direct', (current) => {
    expect(conditionOf(current, 'Ready')?.status).toBe('False');
  });
  expect(asked).toEqual([]);
});
