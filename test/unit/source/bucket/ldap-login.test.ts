import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ldapLogin, type LdapAccess } from '#controllers/source/bucket/access.js';
import type { TemporaryKeys } from '#controllers/source/bucket/model/sts.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { createLru, type Lru } from '#lib/lru.js';

// That MinIO takes these logins, and its keys are good, is tested in test/peers/source. No real server answers like these.

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const HOUR_MS = 3_600_000;
const PASSWORD = 'never-shown';
let server: Listening;
let url: string;
let answer: Answer;
/** What was sent. */
let sent: { method: string | undefined; type: string | undefined; form: string }[] = [];
let nowMs = 0;
let known: Lru<TemporaryKeys>;

/** Keys for an hour, or until `endsAtMs`; each answer has others. */
const keys =
  (endsAtMs?: number): Answer =>
  (response) => {
    const end = new Date(endsAtMs ?? nowMs + HOUR_MS).toISOString();
    const token = `<SessionToken>T${sent.length}</SessionToken>`;
    const inner = `<AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey>${token}<Expiration>${end}</Expiration>`;
    const result = `<AssumeRoleWithLDAPIdentityResult><Credentials>${inner}</Credentials></AssumeRoleWithLDAPIdentityResult>`;
    response.end(`<AssumeRoleWithLDAPIdentityResponse>${result}</AssumeRoleWithLDAPIdentityResponse>`);
  };
const text =
  (body: string | Buffer, status = 200, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

beforeAll(async () => {
  server = await listen(
    createServer((request, response) => {
      let form = '';
      request.on('data', (chunk: Buffer) => (form += chunk.toString()));
      request.on('end', () => {
        sent.push({ method: request.method, type: request.headers['content-type'], form });
        answer(response, request);
      });
    }),
  );
  url = `http://127.0.0.1:${server.address.port}`;
});

afterAll(() => server.close());

beforeEach(() => {
  [sent, nowMs, answer, known] = [[], 0, keys(), createLru(10)];
});

/** The login of one fetch. */
function login(fields: Partial<LdapAccess> = {}): () => Promise<TemporaryKeys> {
  const access = { namespace: 'a', endpoint: url, username: 'puller', password: PASSWORD, tls: undefined, proxies: {} };
  const limits = { timeoutMs: 20_000, startedAt: performance.now(), signal: new AbortController().signal };
  return ldapLogin({ temporaryKeys: known, now: () => nowMs }, { ...access, ...limits, mayReuse: true, ...fields });
}

describe('keys', () => {
  test('are asked for with the login, once for all requests of a fetch', async () => {
    const fetch = login();
    const all = await Promise.all([fetch(), fetch(), fetch()]);
    expect([...all, await fetch()].map(({ sessionToken }) => sessionToken)).toEqual(['T1', 'T1', 'T1', 'T1']);
    expect(sent).toEqual([
      {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        form: 'Action=AssumeRoleWithLDAPIdentity&Version=2011-06-15&LDAPUsername=puller&LDAPPassword=never-shown',
      },
    ]);
  });

  test('are renewed before their end, in the middle of a fetch', async () => {
    const fetch = login();
    const tokens: string[] = [];
    for (nowMs of [0, 0.79 * HOUR_MS, 0.81 * HOUR_MS, HOUR_MS]) tokens.push((await fetch()).sessionToken);
    expect(tokens).toEqual(['T1', 'T1', 'T2', 'T2']);
  });

  test('are kept for the next fetch with the same login, until shortly before their end', async () => {
    await login()();
    expect((await login()()).sessionToken).toBe('T1');
    nowMs = 0.81 * HOUR_MS;
    expect((await login()()).sessionToken).toBe('T2');
    expect((await login()()).sessionToken).toBe('T2');
  });

  test.each<[string, Partial<LdapAccess>]>([
    ['of another namespace', { namespace: 'b' }],
    ['with another user', { username: 'other' }],
    ['with another password', { password: 'new' }],
    ['at another endpoint', { endpoint: 'PATH' }],
    ['that trusts another authority', { tls: { ca: ['of a stranger'] } }],
    ['by another proxy', { proxies: { https: 'http://proxy.example.com:3128' } }],
    ['that may not use them', { mayReuse: false }],
  ])('are not given to a fetch %s', async (_title, fields) => {
    await login()();
    const other = fields.endpoint === undefined ? fields : { endpoint: `${url}/sts` };
    expect((await login(other)()).sessionToken).toBe('T2');
  });

  test('are asked for again after a failure', async () => {
    const fetch = login();
    answer = text('', 503);
    await expect(fetch()).rejects.toThrow('the server answered 503');
    answer = keys();
    expect((await fetch()).sessionToken).toBe('T2');
  });
});

const STS_ERROR = (code: string): string =>
  `<ErrorResponse><Error><Code>${code}</Code><Message>no entry for ${PASSWORD}</Message></Error></ErrorResponse>`;

describe('an answer is reported', () => {
  test.each<[string, Answer, string, RegExp]>([
    [
      'a wrong password',
      text(STS_ERROR('InvalidParameterValue'), 400),
      'AuthenticationFailed',
      /^STS at http:\S+ gives no keys: the server answered 400 InvalidParameterValue: check .*spec\.sts\.secretRef, /,
    ],
    ['no access', text(STS_ERROR('AccessDenied'), 403), 'AuthenticationFailed', /answered 403 AccessDenied: check/],
    ['a 401 of megabytes', text('x'.repeat(5e6), 401), 'AuthenticationFailed', /the server answered 401: check/],
    ['no STS there', text('<html/>', 404), 'BucketOperationFailed', /answered 404: check spec\.sts\.endpoint$/],
    ['trouble', text('', 503), 'BucketOperationFailed', /the server answered 503/],
    ['a website', text('<html><body/></html>'), 'BucketOperationFailed', /something else than keys: check spec\.sts/],
    ['nothing', text(''), 'BucketOperationFailed', /answers with something else than keys/],
    ['megabytes', text('x'.repeat(5e6)), 'BucketOperationFailed', /the response is larger than 65536 bytes$/],
    [
      'a bomb',
      text(gzipSync(Buffer.alloc(50e6)), 200, { 'content-encoding': 'gzip' }),
      'BucketOperationFailed',
      /^cannot fetch http/,
    ],
    [
      'a drip of bytes without an end',
      (response) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(timer));
      },
      'BucketOperationFailed',
      /no complete response within 500 ms \(spec\.timeout\)/,
    ],
    ['silence', () => undefined, 'BucketOperationFailed', /no complete response within 500 ms \(spec\.timeout\)/],
    [
      'a body that breaks off',
      (response) => response.writeHead(200, { 'content-length': 999 }).write('<', () => response.destroy()),
      'BucketOperationFailed',
      /^cannot fetch http/,
    ],
    ['what is not HTTP', ({ socket }) => socket?.end('220 ldap\r\n'), 'BucketOperationFailed', /^cannot fetch http/],
    ['keys of yesterday', keys(-24 * HOUR_MS), 'BucketOperationFailed', /good for less than a minute by the clock/],
  ])('%s', async (_title, hostile, reason, message) => {
    answer = hostile;
    const startedAt = performance.now();
    const error: unknown = await login({ timeoutMs: 500 })().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'TransientError', reason, message: expect.stringMatching(message) as unknown });
    expect(String(error)).not.toContain(PASSWORD);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%d), and the login is not sent there', async (status) => {
    answer = text('', status, { location: `http://localhost:${server.address.port}/?a=b` });
    const message = /redirects to http:\/\/localhost:\d+, where no login is sent: check spec\.sts\.endpoint$/;
    await expect(login()()).rejects.toThrow(message);
    expect(sent).toHaveLength(1);
  });
});

test.each(['http://169.254.169.254/', 'http://[fe80::1]/', 'http://metadata.google.internal/', 'http://2852039166/'])(
  'no login is sent to %s',
  async (endpoint) => {
    await expect(login({ endpoint })()).rejects.toThrow('a link-local address, which is never fetched from there');
  },
);

test('nothing is asked of an endpoint where nobody listens', async () => {
  await expect(login({ endpoint: 'http://127.0.0.1:1' })()).rejects.toThrow('ECONNREFUSED');
});

test('a fetch that is cancelled does not wait', async () => {
  answer = () => undefined;
  const cancelled = new AbortController();
  const asked = login({ signal: cancelled.signal })();
  cancelled.abort();
  await expect(asked).rejects.toMatchObject({ name: 'CancelledError' });
});
