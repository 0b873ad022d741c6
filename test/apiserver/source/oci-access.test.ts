import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { secretResource, serviceAccountResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { Pusher, tarLayer } from '../../support/oci.js';
import { createRegistryFolder, type RegistryConfig, type RegistryFolder } from '../../support/registry.js';
import { conditionOf, createHarness, expectSecretMissed, type Harness } from './harness.js';

/** bcrypt of `secret`. */
const HTPASSWD = 'robot:$2a$04$LGEM4meqtqtXKMirvRW9WeekybXgKo8eeo6qkDjtZffpt0XFW9TX6\n';
const LOGIN = `Basic ${Buffer.from('robot:secret').toString('base64')}`;
const REPOSITORY = 'org/app';

let harness: Harness;
let folder: RegistryFolder;
/** Ended in the opposite order. */
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  harness = await createHarness('src-oci-access');
  folder = await createRegistryFolder(harness.world.tools.registry);
  const open = await folder.start(() => ({}));
  await new Pusher(`http://${open.host}`, REPOSITORY).image('latest', [await tarLayer({ 'a.yaml': 'a: b\n' })]);
  await open.stop();
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  await folder.remove();
  await harness.close();
});

async function start(config: (folder: string) => RegistryConfig): Promise<string> {
  const registry = await folder.start(config);
  cleanups.push(() => registry.stop());
  return registry.host;
}

interface Reply {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

async function serve(answer: (request: IncomingMessage) => Promise<Reply>): Promise<string> {
  const server: Listening = await listen(
    createServer((request, response) => {
      void answer(request).then(({ status, body, headers = {} }) => response.writeHead(status, headers).end(body));
    }),
  );
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${server.address.port}`;
}

async function secret(name: string, stringData: Record<string, string>): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace }, stringData };
  await harness.host.create(secretResource, object);
}

function dockerConfig(host: string, password = 'secret'): Record<string, string> {
  const auth = Buffer.from(`robot:${password}`).toString('base64');
  return { '.dockerconfigjson': JSON.stringify({ auths: { [host]: { auth } } }) };
}

async function apply(name: string, host: string, spec: object): Promise<void> {
  await harness.apply('OCIRepository', name, { url: `oci://${host}/${REPOSITORY}`, insecure: true, ...spec });
}

async function untilFailed(name: string, message: RegExp): Promise<void> {
  await harness.until('OCIRepository', name, (current) =>
    expect(conditionOf(current, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(message) as unknown,
    }),
  );
}

describe('a registry that asks for a login', () => {
  let host: string;

  beforeAll(async () => {
    host = await start((files) => ({
      auth: { htpasswd: { realm: 'test', path: path.join(files, 'htpasswd') } },
      files: { htpasswd: HTPASSWD },
    }));
    await secret('config', dockerConfig(host));
    await secret('elsewhere', dockerConfig('elsewhere.example'));
    await secret('login', { username: 'robot', password: 'secret' });
    await secret('wrong', { username: 'robot', password: 'guessed' });
    const { namespace } = harness;
    const account = {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'puller', namespace } },
      imagePullSecrets: [{ name: 'elsewhere' }, { name: 'config' }],
    };
    await harness.host.create<KubeObject>(serviceAccountResource, account);
  });

  test.each([
    ['pull-secret', { secretRef: { name: 'config' } }],
    ['basic', { secretRef: { name: 'login' } }],
    ['account', { serviceAccountName: 'puller' }],
  ])('gets it: %s', async (name, spec) => {
    await apply(name, host, spec);
    await harness.untilReady('OCIRepository', name);
  });

  test('is missed by name once it is deleted, and the artifact stays', async () => {
    await secret('vanishing', { username: 'robot', password: 'secret' });
    await apply('vanishes', host, { secretRef: { name: 'vanishing' } });
    await expectSecretMissed(harness, 'OCIRepository', 'vanishes', 'vanishing');
  });

  test.each([
    ['no-login', {}, /asks for a login: check spec\.secretRef$/],
    ['login-elsewhere', { secretRef: { name: 'elsewhere' } }, /asks for a login: check spec\.secretRef$/],
    ['wrong', { secretRef: { name: 'wrong' } }, /the server answered 401: check spec\.secretRef$/],
  ])('is named when it does not: %s', async (name, spec, message) => {
    await apply(name, host, spec);
    await untilFailed(name, message);
    const { status } = await harness.until('OCIRepository', name, () => undefined);
    expect(JSON.stringify(status)).not.toContain('guessed');
  });
});

/** What a registry calls a key: its public half as a JSON web key. */
function keyOf(key: KeyObject): { kid: string; jwks: string } {
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify(jwk)).digest('hex');
  return { kid, jwks: JSON.stringify({ keys: [{ ...jwk, kid, use: 'sig', alg: 'RS256' }] }) };
}

function tokenFor(key: KeyObject, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid: keyOf(key).kid })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

describe('a registry that asks for a token', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const names = { issuer: 'tokens', service: 'registry' };
  const asked: { authorization: string | undefined; scope: string | null }[] = [];
  let realm: string;

  function tokens(tls?: RegistryConfig['tls']): Promise<string> {
    return start((files) => ({
      auth: { token: { realm, ...names, jwks: path.join(files, 'keys.json') } },
      files: { 'keys.json': keyOf(privateKey).jwks },
      ...(tls === undefined ? {} : { tls }),
    }));
  }

  beforeAll(async () => {
    realm = await serve(({ url = '/', headers: { authorization } }) => {
      const scope = new URL(url, 'http://localhost').searchParams.get('scope');
      asked.push({ authorization, scope });
      if (authorization !== LOGIN) return Promise.resolve({ status: 401, body: '{}' });
      const [, name = '', actions = ''] = scope?.split(':') ?? [];
      const now = Math.floor(Date.now() / 1_000);
      const token = tokenFor(privateKey, {
        ...{ iss: names.issuer, aud: names.service, sub: 'robot', nbf: now - 10, iat: now, exp: now + 300 },
        access: [{ type: 'repository', name, actions: actions.split(',') }],
      });
      return Promise.resolve({ status: 200, body: JSON.stringify({ token }) });
    });
  });

  test('gets one for pulling from one repository', async () => {
    const host = await tokens();
    await secret('token-login', dockerConfig(host));
    await apply('token', host, { secretRef: { name: 'token-login' } });
    await harness.untilReady('OCIRepository', 'token');
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([LOGIN]));
    expect(new Set(asked.map(({ scope }) => scope))).toEqual(new Set([`repository:${REPOSITORY}:pull`]));
    await apply('token-none', host, {});
    await untilFailed('token-none', /the server answered 401: check spec\.secretRef$/);
  });

  test('with TLS never has a login sent in clear text', async () => {
    const certificate = selfSignedCertificate('localhost', 'registry');
    const host = await tokens(certificate);
    await secret('tls-login', dockerConfig(host));
    await secret('ca', { 'ca.crt': certificate.cert });
    const shown = (): number => asked.filter(({ authorization }) => authorization === LOGIN).length;
    const before = shown();
    const spec = { insecure: false, secretRef: { name: 'tls-login' }, certSecretRef: { name: 'ca' } };
    await apply('token-tls', host, spec);
    await untilFailed('token-tls', /names no safe URL for its tokens/);
    expect(shown()).toBe(before);
  });
});

test('a registry with a private CA is trusted by its certificate', async () => {
  const certificate = selfSignedCertificate('localhost', 'private');
  const host = await start(() => ({ tls: certificate }));
  await secret('private-ca', { 'ca.crt': certificate.cert });
  await apply('private', host, { insecure: false });
  await untilFailed('private', /^cannot fetch https:/);
  await apply('private', host, { insecure: false, certSecretRef: { name: 'private-ca' } });
  await harness.untilReady('OCIRepository', 'private');
});

test('storage that layers are redirected to gets no login, even if it asks for one', async () => {
  const seen: (string | undefined)[] = [];
  const realm = await serve(({ headers: { authorization } }) => {
    seen.push(authorization);
    return Promise.resolve({ status: 200, body: '{"token": "stolen"}' });
  });
  let asks = false;
  const storage = await serve(async ({ url, headers: { authorization } }) => {
    seen.push(authorization);
    if (asks) return { status: 401, body: '', headers: { 'www-authenticate': `Bearer realm="${realm}"` } };
    return { status: 200, body: await readFile(path.join(folder.storage, url ?? '')) };
  });
  const host = await start((files) => ({
    ...{ auth: { htpasswd: { realm: 'test', path: path.join(files, 'htpasswd') } }, redirect: storage },
    files: { htpasswd: HTPASSWD },
  }));
  await secret('redirected', dockerConfig(host));
  await apply('redirected', host, { secretRef: { name: 'redirected' } });
  await harness.untilReady('OCIRepository', 'redirected');
  asks = true;
  await apply('asking', host, { secretRef: { name: 'redirected' } });
  await untilFailed('asking', /the server answered 401/);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});
