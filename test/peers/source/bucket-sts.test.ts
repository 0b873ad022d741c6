import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { freePort } from '#sandbox/world/ports.js';
import { conditionOf, createHarness, type Harness, type SourceView } from '../../apiserver/source/harness.js';
import { ROOT } from './object-store.js';
import { certificateIn, startProxy, startTls, type Ending } from './servers.js';
import { startSts, STRANGER, USER, type StsServer } from './sts.js';

let harness: Harness;
let server: StsServer;
/** In front of it, with a certificate. */
let secure: string;
const endings: Ending[] = [];

beforeAll(async () => {
  server = await startSts();
  harness = await createHarness('src-bucket-sts');
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-sts-tls-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const tls = await certificateIn(folder);
  secure = await startTls(server.endpoint, tls, endings);
  const ways = { ca: { 'ca.crt': tls.cert }, proxy: { address: await startProxy(endings) } };
  const secrets = { ...ways, keys: ROOT, user: USER, stranger: STRANGER, wrong: { ...USER, password: 'guessed' } };
  for (const [name, stringData] of Object.entries(secrets)) {
    const metadata = { name, namespace: harness.namespace };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata, stringData };
    await harness.host.create(secretResource, object);
  }
  await server.createBucket('all');
  await server.put('all', { 'app/deploy.yaml': 'a', 'b c+d/ü.yaml': 'b' });
}, 1_800_000);

afterAll(async () => {
  // Undefined if they could not be started.
  await (harness as Harness | undefined)?.close();
  for (const end of endings.reverse()) await end();
  await (server as StsServer | undefined)?.stop();
});

async function apply(
  name: string,
  { sts = {}, ...spec }: { sts?: object; interval?: string; proxySecretRef?: object } = {},
): Promise<void> {
  const { endpoint, region } = server;
  const place = { bucketName: 'all', endpoint, region, insecure: true };
  const ldap = { provider: 'ldap', endpoint: `http://${endpoint}`, secretRef: { name: 'user' }, ...sts };
  await harness.apply('Bucket', name, { ...place, sts: ldap, ...spec });
}

const revisionOf = ({ status }: SourceView): string | undefined => status?.artifact?.revision;

test('a user of a directory fetches what the keys of the store fetch', async () => {
  await apply('by-user');
  const byUser = await harness.untilReady('Bucket', 'by-user');
  const { endpoint, region } = server;
  const keys = { bucketName: 'all', endpoint, region, insecure: true, secretRef: { name: 'keys' } };
  await harness.apply('Bucket', 'by-keys', keys);
  const byKeys = await harness.untilReady('Bucket', 'by-keys');
  expect(revisionOf(byUser)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(revisionOf(byUser)).toBe(revisionOf(byKeys));
  expect(JSON.stringify(byUser.status)).not.toContain(USER.password);
});

test('STS has a certificate and a proxy of its own', async () => {
  await apply('secure', { sts: { endpoint: `https://${secure}`, certSecretRef: { name: 'ca' } } });
  await apply('by-proxy', { proxySecretRef: { name: 'proxy' } });
  const sources = await Promise.all(['secure', 'by-proxy'].map((name) => harness.untilReady('Bucket', name)));
  expect(new Set(sources.map(revisionOf)).size).toBe(1);
});

test.each<[string, () => object | Promise<object>, string, RegExp]>([
  [
    'a wrong password',
    () => ({ secretRef: { name: 'wrong' } }),
    'AuthenticationFailed',
    /400 InvalidParameterValue: check/,
  ],
  [
    'a user without a policy',
    () => ({ secretRef: { name: 'stranger' } }),
    'AuthenticationFailed',
    /the policy of its user, and/,
  ],
  [
    'an endpoint where nobody listens',
    async () => ({ endpoint: `http://127.0.0.1:${await freePort()}` }),
    'BucketOperationFailed',
    /ECONNREFUSED/,
  ],
  [
    'an endpoint that does not speak TLS',
    () => ({ endpoint: `https://${server.endpoint}` }),
    'BucketOperationFailed',
    /^cannot fetch https:/,
  ],
  [
    'a certificate that nobody signed',
    () => ({ endpoint: `https://${secure}`, certSecretRef: undefined }),
    'BucketOperationFailed',
    /^cannot fetch https:.*CERT/,
  ],
])('is named: %s', async (_title, sts, reason, message) => {
  await apply('refused', { sts: await sts() });
  const { status } = await harness.until('Bucket', 'refused', (current) => {
    const facts = { status: 'False', reason, message: expect.stringMatching(message) as unknown };
    expect(conditionOf(current, 'Ready')).toMatchObject(facts);
  });
  expect(JSON.stringify(status)).not.toContain('guessed');
  await harness.remove('Bucket', 'refused');
});

test('a store that starts again, and accepts no keys from before, is fetched with new ones', async () => {
  await apply('survives', { interval: '1s' });
  const before = await harness.untilReady('Bucket', 'survives');
  await server.forgetKeys();
  const failed = await harness.until('Bucket', 'survives', (current) => {
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False' });
  });
  expect(failed.status?.artifact).toEqual(before.status?.artifact);
  const after = await harness.untilReady('Bucket', 'survives');
  expect(after.status?.artifact).toEqual(before.status?.artifact);
});
