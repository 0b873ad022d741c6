import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { secretResource } from '#api/core.js';
import { forward } from '#bench/scenarios/counting-proxy.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { startHttpServer, type HttpServer } from '#sandbox/world/ports.js';
import { selfSignedCertificate, type Certificate } from '../../support/certificate.js';
import { conditionOf, expectSecretMissed, useHarness } from './harness.js';

const LOGIN = { username: 'robot', password: "p'a$s w:ord" };
const EXPECTED = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`;

/** A server in front of another one that wants a login; it notes what it was shown. */
interface Gate extends HttpServer {
  readonly seen: (string | undefined)[];
}

const harness = useHarness('src-login');
const gates: Gate[] = [];

beforeAll(async () => {
  await harness.publish({ name: 'web', version: '1.0.0' });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: harness.namespace } };
  await harness.host.create(secretResource, { ...secret, stringData: LOGIN } as typeof secret);
});

afterEach(() => Promise.all(gates.splice(0).map((gate) => gate.close())));

async function startServer(certificate: Certificate | undefined, answer: RequestListener): Promise<HttpServer> {
  if (certificate === undefined) return startHttpServer(answer);
  const { address, close } = await listen(createServer(certificate, answer));
  return { origin: `https://localhost:${address.port}`, close };
}

/** Lets requests with the login (or all, when not `closed`) through to `to`, or sends them elsewhere. */
async function gate({
  to,
  closed = true,
  redirect = false,
  expected = EXPECTED,
  certificate,
}: {
  to: string;
  closed?: boolean;
  redirect?: boolean;
  expected?: string;
  certificate?: Certificate;
}): Promise<Gate> {
  const seen: (string | undefined)[] = [];
  const server = await startServer(certificate, (incoming, response) => {
    seen.push(incoming.headers.authorization);
    if (closed && incoming.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="gate"' }).end();
    } else if (redirect) response.writeHead(302, { location: new URL(incoming.url ?? '/', to).href }).end();
    else forward(new URL(incoming.url ?? '/', to), incoming, response);
  });
  const made = { ...server, seen };
  gates.push(made);
  return made;
}

function elsewhere(url: string, origin: string): string {
  return origin + new URL(url).pathname;
}

describe.each([
  ['GitRepository' as const, () => harness.gitUrl, { ref: { branch: 'main' } }],
  ['HelmRepository' as const, () => harness.helmUrl, {}],
])('a login for a %s', (kind, url, fields) => {
  const name = kind.toLowerCase();

  test('opens the door', async () => {
    const door = await gate({ to: url() });
    await harness.apply(kind, name, { ...fields, url: elsewhere(url(), door.origin), secretRef: { name: 'login' } });
    await harness.untilReady(kind, name);
    expect(door.seen).toContain(EXPECTED);
  });

  test('without it the door stays closed, and the secret is in no message', async () => {
    const door = await gate({ to: url() });
    await harness.apply(kind, `${name}-none`, { ...fields, url: elsewhere(url(), door.origin) });
    const source = await harness.until(kind, `${name}-none`, (current) => {
      expect(conditionOf(current, 'Ready')?.status).toBe('False');
    });
    expect(JSON.stringify(source)).not.toContain(LOGIN.password);
  });

  test('that is deleted is missed by name, and the artifact stays', async () => {
    const metadata = { name: `${name}-vanishes`, namespace: harness.namespace };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: LOGIN };
    await harness.host.create(secretResource, secret);
    await harness.apply(kind, metadata.name, { ...fields, url: url(), secretRef: { name: metadata.name } });
    await expectSecretMissed(harness, kind, metadata.name, metadata.name);
  });

  test('is not shown to another host that the server redirects to, even if that asks for it', async () => {
    const target = await gate({ to: url() });
    const door = await gate({ to: target.origin, closed: false, redirect: true });
    const moved = `${name}-moved`;
    await harness.apply(kind, moved, { ...fields, url: elsewhere(url(), door.origin), secretRef: { name: 'login' } });
    await harness.until(kind, moved, (current) => expect(conditionOf(current, 'Ready')?.status).toBe('False'));
    expect(target.seen.length).toBeGreaterThan(0);
    expect(new Set(target.seen)).toEqual(new Set([undefined]));
  });
});

test('a username is no secret: what git says stays readable', async () => {
  const door = await gate({ to: harness.gitUrl });
  const metadata = { name: 'misspelt', namespace: harness.namespace };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username: 'http', password: 'mistaken' } };
  await harness.host.create(secretResource, secret);
  const url = elsewhere(harness.gitUrl, door.origin);
  await harness.apply('GitRepository', 'misspelt', { url, ref: { branch: 'main' }, secretRef: { name: 'misspelt' } });
  await harness.until('GitRepository', 'misspelt', (current) => {
    expect(conditionOf(current, 'Ready')?.message).toContain(`Authentication failed for '${url}`);
  });
});

test('a suspended source is left alone', async () => {
  await harness.apply('HelmRepository', 'asleep', { url: harness.helmUrl, suspend: true });
  const writes = await harness.writesDuring('asleep', async () => {
    await harness.apply('HelmRepository', 'awake', { url: harness.helmUrl });
    await harness.untilReady('HelmRepository', 'awake');
  });
  expect(writes).toEqual([]);
  expect((await harness.read('HelmRepository', 'asleep'))?.status?.conditions).toBeUndefined();
});

/** Stands in for the exchange of tokens by GitHub, which no test can reach; the rest is the real git over HTTP. */
describe('a GitHub App', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = selfSignedCertificate('localhost', 'github');
  const app = {
    githubAppID: '7',
    githubAppPrivateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    'ca.crt': certificate.cert,
  };
  /** What was asked for, by those who signed it. */
  const asked: string[] = [];
  let github: Listening;

  function isSigned(authorization = ''): boolean {
    const [header = '', claims = '', signature = ''] = authorization.replace('Bearer ', '').split('.');
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as { iss?: string };
    const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`);
    return iss === '7' && verify.verify(publicKey, signature, 'base64url');
  }

  beforeAll(async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    github = await listen(
      createServer(certificate, ({ method = '', url = '', headers }, response) => {
        if (!isSigned(headers.authorization)) {
          response.writeHead(401).end();
          return;
        }
        asked.push(`${method} ${url}`);
        const isToken = method === 'POST' && url === '/api/app/installations/42/access_tokens';
        if (url === '/api/users/owner/installation') response.end(JSON.stringify({ id: 42 }));
        else if (isToken) response.writeHead(201).end(JSON.stringify({ token: 'ghs_token', expires_at: expires }));
        else response.writeHead(404).end();
      }),
    );
  });

  afterAll(() => github.close());

  async function secret(name: string, keys: Record<string, string>): Promise<void> {
    const githubAppBaseURL = `https://localhost:${github.address.port}/api/`;
    const metadata = { name, namespace: harness.namespace };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { ...app, githubAppBaseURL, ...keys } };
    await harness.host.create(secretResource, object);
  }

  async function apply(name: string, fields: Record<string, unknown> = {}): Promise<void> {
    const expected = `Basic ${Buffer.from('x-access-token:ghs_token').toString('base64')}`;
    const door = await gate({ to: harness.gitUrl, expected, certificate });
    const url = elsewhere(harness.gitUrl, door.origin);
    const spec = { url, ref: { branch: 'main' }, provider: 'github', secretRef: { name }, ...fields };
    await harness.apply('GitRepository', name, spec);
  }

  test.each([
    ['by its id', 'app-id', { githubAppInstallationID: '42' }, []],
    [
      'by its owner',
      'app-owner',
      { githubAppInstallationOwner: 'owner' },
      ['GET /api/orgs/owner/installation', 'GET /api/users/owner/installation'],
    ],
  ])('opens a repository: installation %s', async (_title, name, keys, lookups) => {
    asked.length = 0;
    await secret(name, keys);
    await apply(name);
    const source = await harness.untilReady('GitRepository', name);
    const expected = [...lookups, 'POST /api/app/installations/42/access_tokens'];
    expect(asked).toEqual(expect.arrayContaining(expected));
    expect(JSON.stringify(source)).not.toContain('ghs_token');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['app-nowhere', { githubAppInstallationID: '43' }, /^GitHub App: no token came from https:.*installations\/43/],
    ['app-key', { githubAppInstallationID: '42', githubAppPrivateKey: 'nonsense' }, /githubAppPrivateKey/],
    ['app-none', { githubAppID: 'x' }, /githubAppID is missing or not a number/],
    [
      'app-metadata',
      { githubAppInstallationID: '42', githubAppBaseURL: 'https://169.254.169.254' },
      /leads to 169\.254\.169\.254, a link-local address/,
    ],
  ])('%s is refused', async (name, keys, message) => {
    await secret(name, keys);
    await apply(name);
    await harness.until('GitRepository', name, (current) => {
      const reported = { reason: 'AuthenticationFailed', message: expect.stringMatching(message) as unknown };
      expect(conditionOf(current, 'Ready')).toMatchObject(reported);
    });
  });

  test('needs spec.provider', async () => {
    await secret('app-generic', { githubAppInstallationID: '42' });
    await apply('app-generic', { provider: 'generic' });
    await harness.until('GitRepository', 'app-generic', (current) => {
      expect(conditionOf(current, 'Ready')?.message).toMatch(/of a GitHub App: set spec\.provider to github/);
    });
  });

  test.each([
    ['app-bare', { url: 'https://localhost/app.git' }, 'needs a Secret with githubAppID'],
    ['app-plain', { url: 'http://localhost/app.git', secretRef: { name: 'app-plain' } }, 'needs an https URL'],
  ])('is refused before anything is asked: %s', async (name, spec, problem) => {
    await harness.apply('GitRepository', name, { ...spec, provider: 'github' });
    await harness.until('GitRepository', name, (current) => {
      const message = expect.stringContaining(`spec.provider github ${problem}`) as unknown;
      expect(conditionOf(current, 'Stalled')).toMatchObject({ reason: 'InvalidProviderConfiguration', message });
    });
  });
});
