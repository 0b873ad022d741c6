import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { conditionOf, expectSecretMissed, useHarness } from './harness.js';

// What a bucket gives is tested with a real object store, in test/peers/source. No real one would answer like these.

const harness = useHarness('src-bucket');
const LIST = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';

/** A list of objects of three bytes. */
function listOf(...keys: readonly string[]): string {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><ETag>"e"</ETag><Size>3</Size></Contents>`);
  return `${LIST}${contents.join('')}<IsTruncated>false</IsTruncated></ListBucketResult>`;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** To the list, and to objects. */
interface Bucket {
  readonly list: Answer;
  readonly object?: Answer;
}

const text =
  (body: string, status = 200, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);
/** One byte, and an end that looks like one: HTTP/1.0 has no other. */
const cutOff: Answer = (response) => {
  response.socket?.end('HTTP/1.0 200 OK\r\nETag: "e"\r\nConnection: close\r\n\r\na');
};
/** More than are fetched at once. */
const MANY = Array.from({ length: 40 }, (_, index) => `many-${index}`);
const seen: { host: string | undefined; authorization: string | undefined; token: unknown }[] = [];
const buckets = new Map<string, Bucket>();
let server: Listening;
let endpoint: string;

beforeAll(async () => {
  server = await listen(
    createServer((request, response) => {
      const { host, authorization, 'x-amz-security-token': token } = request.headers;
      seen.push({ host, authorization, token });
      const [, name = '', key = ''] = /^\/([^/]+)\/([^?]*)/.exec(request.url ?? '') ?? [];
      const { list, object = text('abc') } = buckets.get(name) ?? { list: text('', 404) };
      (key === '' ? list : object)(response, request);
    }),
  );
  endpoint = `127.0.0.1:${server.address.port}`;
  const keys = { accesskey: 'a', secretkey: 'never-shown' };
  const ldap = { username: 'puller', password: 'never-shown' };
  const halves = { half: { accesskey: 'a' }, 'half-ldap': { username: 'a' } };
  await Promise.all(
    Object.entries({ keys, vanishing: keys, ldap, ...halves, proxy: { address: 'nonsense' } }).map(
      ([name, stringData]) =>
        harness.host.create(secretResource, {
          ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace } },
          ...{ stringData },
        }),
    ),
  );
});

afterAll(() => server.close());

async function apply(name: string, spec: object = {}): Promise<void> {
  await harness.apply('Bucket', name, { bucketName: name, endpoint, insecure: true, ...spec });
}

async function untilFailed(name: string, reason: string, message: string | RegExp): Promise<void> {
  const { status } = await harness.until('Bucket', name, (current) => {
    const matching = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason, message: matching as unknown });
  });
  expect(JSON.stringify(status)).not.toContain('never-shown');
}

describe('a field that cannot be used is named', () => {
  test.each<[string, object, string, string | RegExp]>([
    [
      'a URL as endpoint',
      { endpoint: 'https://s3.example.com' },
      'URLInvalid',
      'spec.endpoint is not a host: write e.g.',
    ],
    ['a name of no bucket', { bucketName: 'a/b/c' }, 'URLInvalid', 'spec.bucketName is not the name of a bucket'],
    [
      'STS of AWS for another object store',
      { sts: { provider: 'aws', endpoint: 'https://sts.example.com' } },
      'InvalidSTSConfiguration',
      /^spec\.sts\.provider aws is not for spec\.provider generic: set it to ldap/,
    ],
    [
      'STS of AWS without keys',
      { provider: 'aws', sts: { provider: 'aws', endpoint: 'https://sts.example.com' } },
      'FeatureNotSupported',
      /^spec\.provider aws without spec\.secretRef is not supported .*: name a Secret with accesskey/,
    ],
    [
      'STS without a login',
      { sts: { provider: 'ldap', endpoint: 'https://sts.example.com' } },
      'InvalidSTSConfiguration',
      'name it in spec.sts.secretRef',
    ],
    [
      'STS at no URL',
      { sts: { provider: 'ldap', endpoint: 'https://', secretRef: { name: 'ldap' } } },
      'URLInvalid',
      'spec.sts.endpoint is not the URL of a server: write e.g.',
    ],
    [
      'STS at a metadata server',
      { sts: { provider: 'ldap', endpoint: 'http://169.254.169.254/', secretRef: { name: 'ldap' } } },
      'BucketOperationFailed',
      'a link-local address, which is never fetched from there',
    ],
    [
      'a login of STS that is missing',
      { sts: { provider: 'ldap', endpoint: 'https://sts.example.com', secretRef: { name: 'gone' } } },
      'AuthenticationFailed',
      'named by spec.sts.secretRef does not',
    ],
    [
      'half a login of STS',
      { sts: { provider: 'ldap', endpoint: 'https://sts.example.com', secretRef: { name: 'half-ldap' } } },
      'AuthenticationFailed',
      "the Secret 'half-ldap' named by spec.sts.secretRef: it lacks the key username or password: add it",
    ],
    [
      'certificates of STS that are missing',
      {
        sts: {
          ...{ provider: 'ldap', endpoint: 'https://sts.example.com', secretRef: { name: 'ldap' } },
          certSecretRef: { name: 'gone' },
        },
      },
      'AuthenticationFailed',
      'named by spec.sts.certSecretRef does not',
    ],
    [
      'Google',
      { provider: 'gcp' },
      'FeatureNotSupported',
      /^spec\.provider gcp is not supported .*: use a server with the S3 API and spec\.provider generic, or run Flux/,
    ],
    [
      'AWS without keys',
      { provider: 'aws' },
      'FeatureNotSupported',
      /^spec\.provider aws without spec\.secretRef is not supported .*: name a Secret with accesskey/,
    ],
    [
      'an account of the cloud',
      { serviceAccountName: 'puller' },
      'FeatureNotSupported',
      /^spec\.serviceAccountName is not supported .*: name a Secret with accesskey/,
    ],
    [
      'a Secret that is missing',
      { secretRef: { name: 'gone' } },
      'AuthenticationFailed',
      'named by spec.secretRef does not',
    ],
    [
      'half a login',
      { secretRef: { name: 'half' } },
      'AuthenticationFailed',
      'lacks the key accesskey or secretkey: add it',
    ],
    [
      'a proxy of no URL',
      { proxySecretRef: { name: 'proxy' } },
      'AuthenticationFailed',
      'spec.proxySecretRef: its key address',
    ],
  ])('%s', async (_title, spec, reason, message) => {
    await apply('field', spec);
    await untilFailed('field', reason, message);
    await harness.remove('Bucket', 'field');
  });
});

describe('a server that answers with something else is named', () => {
  test.each<[string, Bucket, RegExp, object]>([
    [
      'a-website',
      { list: text('<html><body/></html>') },
      /^bucket 'a-website' answers with something else than a list/,
      {},
    ],
    ['trouble', { list: text('x'.repeat(1e6), 500) }, /cannot be read: the server answered 500$/, {}],
    [
      'upwards',
      { list: text(listOf('../../x')) },
      /object "..\/..\/x" has a key that is no path of a file: rename it/,
      {},
    ],
    ['clash', { list: text(listOf('a', 'a/b')) }, /object "a" is a file and a folder/, {}],
    ['larger', { list: text(listOf('a')), object: text('abcd') }, /the response is larger than 3 bytes/, {}],
    [
      'gone',
      { list: text(listOf('a')), object: text('', 404) },
      /changed while it was fetched: object "a" is gone/,
      {},
    ],
    [
      'cut',
      { list: text(`${LIST}<IsTruncated>true</IsTruncated></ListBucketResult>`) },
      /something else than a list/,
      {},
    ],
    [
      'shorter',
      { list: text(listOf('a')), object: cutOff },
      /changed while it was fetched: object "a" has 1 bytes instead of 3/,
      {},
    ],
    ['many', { list: text(listOf(...MANY)), object: text('', 503) }, /cannot be read: the server answered 503$/, {}],
    ['silent', { list: () => undefined }, /no complete response within 1000 ms \(spec.timeout\)/, { timeout: '1s' }],
    [
      'torn',
      { list: (response) => response.writeHead(200).write('<', () => response.destroy()) },
      /^cannot fetch http/,
      {},
    ],
  ])('%s', async (name, bucket, message, spec) => {
    buckets.set(name, bucket);
    await apply(name, spec);
    await untilFailed(name, 'BucketOperationFailed', message);
  });
});

test('a list that never ends is given up by its length', async () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `${'k'.repeat(1_000)}${index}`);
  const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>';
  const page = listOf(...keys).replace('<IsTruncated>false</IsTruncated>', more);
  /** Of each pass. */
  const pages: number[] = [];
  const endless: Answer = (response, { url = '' }) => {
    pages.push(url.includes('continuation-token=') ? (pages.pop() ?? 0) + 1 : 1);
    response.end(page);
  };
  buckets.set('endless', { list: endless });
  await apply('endless');
  await untilFailed('endless', 'BucketOperationFailed', /has more than 200000 objects, or too long keys/);
  expect(Math.max(...pages)).toBe(17);
  await harness.remove('Bucket', 'endless');
});

test('a server that gets in trouble takes no artifact away', async () => {
  buckets.set('stays', { list: text(listOf('a')) });
  await apply('stays');
  const { status } = await harness.untilReady('Bucket', 'stays');
  buckets.set('stays', { list: text(listOf('a').replace('"e"', '"f"')), object: text('', 503) });
  const after = await harness.reconcile('Bucket', 'stays');
  expect(after.status?.artifact).toEqual(status?.artifact);
  expect(conditionOf(after, 'Ready')).toMatchObject({ status: 'False', reason: 'BucketOperationFailed' });
});

test('keys that are deleted are missed by name, and the artifact stays', async () => {
  buckets.set('vanishes', { list: text(listOf('a')) });
  await apply('vanishes', { secretRef: { name: 'vanishing' } });
  await expectSecretMissed(harness, 'Bucket', 'vanishes', 'vanishing');
});

test('a redirect to another host gets no signature, and is not followed into another bucket', async () => {
  buckets.set('other', { list: text(listOf()) });
  const elsewhere = `localhost:${server.address.port}`;
  buckets.set('moved', { list: text('', 307, { location: `http://${elsewhere}/other/?list-type=2` }) });
  await apply('moved', { secretRef: { name: 'keys' } });
  await untilFailed('moved', 'BucketOperationFailed', /^bucket 'moved' leads to localhost:\d+: check spec.endpoint/);
  expect(seen.find(({ host }) => host === elsewhere)).toEqual({
    ...{ host: elsewhere, authorization: undefined, token: undefined },
  });
  expect(seen.some(({ authorization }) => authorization?.startsWith('AWS4-HMAC-SHA256 '))).toBe(true);
});

/** As MinIO answers. */
const KEYS_FOR_AN_HOUR: Answer = (response) => {
  const credentials = Object.entries({
    ...{ AccessKeyId: 'temporary', SecretAccessKey: 'never-shown', SessionToken: 'token' },
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  }).map(([name, value]) => `<${name}>${value}</${name}>`);
  const name = 'AssumeRoleWithLDAPIdentity';
  const result = `<${name}Result><Credentials>${credentials.join('')}</Credentials></${name}Result>`;
  response.end(`<${name}Response>${result}</${name}Response>`);
};

/** Where the server answers as the bucket of this name does. */
function stsAt(name: string): object {
  return { provider: 'ldap', endpoint: `http://${endpoint}/${name}/`, secretRef: { name: 'ldap' } };
}

test('temporary keys sign all requests, with their token', async () => {
  buckets.set('gives', { list: KEYS_FOR_AN_HOUR });
  buckets.set('temporary', { list: text(listOf('a')) });
  await apply('temporary', { sts: stsAt('gives') });
  const { status } = await harness.untilReady('Bucket', 'temporary');
  expect(JSON.stringify(status)).not.toContain('never-shown');
  const signed = seen.filter(({ token }) => token === 'token');
  expect(signed.length).toBeGreaterThanOrEqual(2);
  const signature = /^AWS4-HMAC-SHA256 Credential=temporary\/.*SignedHeaders=[^,]*;x-amz-security-token[,;]/;
  for (const { authorization } of signed) expect(authorization).toMatch(signature);
});

test('an STS that gets in trouble takes no artifact away; keys in a Secret come before it', async () => {
  buckets.set('troubled', { list: KEYS_FOR_AN_HOUR });
  buckets.set('lasts', { list: text(listOf('a')) });
  await apply('lasts', { sts: stsAt('troubled') });
  const { status } = await harness.untilReady('Bucket', 'lasts');
  buckets.set('troubled', { list: text('x'.repeat(1e6)) });
  await harness.reconcile('Bucket', 'lasts');
  await untilFailed('lasts', 'BucketOperationFailed', 'the response is larger than 65536 bytes');
  expect((await harness.read('Bucket', 'lasts'))?.status?.artifact).toEqual(status?.artifact);
  await apply('lasts', { sts: stsAt('troubled'), secretRef: { name: 'keys' } });
  await harness.untilReady('Bucket', 'lasts');
});

test('an STS that hangs ends by the timeout, and holds up no other bucket', async () => {
  buckets.set('hangs', { list: () => undefined });
  buckets.set('others', { list: text(listOf('a')) });
  await apply('waits', { sts: stsAt('hangs'), timeout: '3s' });
  await apply('others');
  await harness.untilReady('Bucket', 'others');
  await untilFailed('waits', 'BucketOperationFailed', /no complete response within 3000 ms \(spec\.timeout\)/);
});
