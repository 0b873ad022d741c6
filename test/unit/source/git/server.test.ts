import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forward } from '#bench/scenarios/counting-proxy.js';
import { run } from '#engine/process/run.js';
import { createGit } from '#controllers/source/git/git.js';
import { httpAccess } from '#controllers/source/git/credentials.js';
import { Server } from '#controllers/source/git/server.js';
import type { Resolve } from '#lib/net/link-local.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { startGitServer } from '#sandbox/git-server.js';
import { seedRepository } from '#sandbox/servers/git-repository.js';
import type { HttpServer } from '#sandbox/world/ports.js';
import { selfSignedCertificate } from '../../../support/certificate.js';

const LOGINS = {
  token: { bearerToken: 'secret-token' },
  password: { username: 'robot', password: 'secret' },
} as const;

let root: string;
let server: HttpServer;
/** Redirects all requests to `target`, after a login unless they are for `/public`. */
let door: Listening;
/** The requests to it that had a login. */
const entered: string[] = [];
let target: string;
/** Asks for a login, which it never accepts. */
let stranger: Listening;
const shown = new Set<string | undefined>();

function originOf({ address }: Listening): string {
  return `http://127.0.0.1:${address.port}`;
}

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'fairlead-server-'));
  server = await startGitServer(root);
  await seedRepository(root, 'app', path.join(root, 'nothing'));
  door = await listen(
    createServer(({ url = '/', headers: { authorization } }, response) => {
      if (authorization !== undefined) entered.push(url);
      const isOpen = authorization !== undefined || url.startsWith('/public/');
      if (!isOpen) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      else response.writeHead(302, { location: `${target}${url}` }).end();
    }),
  );
  stranger = await listen(
    createServer(({ headers: { authorization } }, response) => {
      shown.add(authorization);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    }),
  );
});

beforeEach(() => {
  shown.clear();
  entered.length = 0;
});

afterAll(async () => {
  await Promise.all([server, door, stranger].map(({ close }) => close()));
  await rm(root, { recursive: true, force: true });
});

interface Question {
  readonly url?: string;
  readonly login?: keyof typeof LOGINS;
  /** Keys of the Secret besides the login. */
  readonly more?: Readonly<Record<string, string>>;
  readonly namedHost?: string;
  readonly resolve?: Resolve;
  readonly gitPath?: string;
}

async function optionsOf({ url = `${originOf(door)}/app.git`, login = 'password', more = {} }: Question) {
  const data = new Map(Object.entries({ ...LOGINS[login], ...more }));
  const access = { ...(await httpAccess(data, root, url)), identity: login };
  const common = { proxies: {}, home: root, timeoutMs: 60_000, startedAt: performance.now() };
  return { ...common, url, access, signal: new AbortController().signal };
}

/** The references that a server lists. */
async function list(question: Question = {}): Promise<string> {
  const { namedHost = '127.0.0.1', resolve, gitPath = 'git' } = question;
  const options = { ...(await optionsOf(question)), namedHost };
  const asked = new Server({ run, gitPath }, options, resolve);
  return asked.speak((git, url) => git.output('ls-remote', '--', url));
}

function resolveTo(...addresses: string[]): Resolve {
  return (_name, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
}

test('git follows no redirect by itself', async () => {
  target = server.origin;
  const { stderr } = await createGit({ run, gitPath: 'git' }, await optionsOf({})).attempt(
    'ls-remote',
    '--',
    `${originOf(door)}/public/app.git`,
  );
  expect(stderr).toContain('The requested URL returned error: 302');
});

test.each(['token', 'password'] as const)('a redirect is followed, after a %s', async (login) => {
  target = server.origin;
  expect(await list({ login })).toContain('refs/heads/main');
});

test.each(['token', 'password'] as const)('another host is not shown the %s', async (login) => {
  target = originOf(stranger);
  await expect(list({ login })).rejects.toThrow(/^git ls-remote failed/);
  expect(shown).toEqual(new Set([undefined]));
});

test.each(['token', 'password'] as const)('a server that asks for no login is not shown the %s', async (login) => {
  target = server.origin;
  await expect(list({ login, url: `${originOf(door)}/public/app.git` })).rejects.toThrow(/not found/);
  expect(entered).toEqual([]);
});

describe('TLS with a private CA', () => {
  const certificate = selfSignedCertificate('localhost', 'server');
  /** Redirects to it. */
  let plain: Listening;
  let secure: Listening;
  const logins = new Set<string | undefined>();

  beforeAll(async () => {
    secure = await listen(
      createSecureServer(certificate, (incoming, response) => {
        logins.add(incoming.headers.authorization?.split(' ', 1)[0]);
        const isOpen = incoming.headers.authorization !== undefined || incoming.url?.startsWith('/public/') === true;
        const url = new URL((incoming.url ?? '/').replace('/public', ''), server.origin);
        if (isOpen) forward(url, incoming, response);
        else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      }),
    );
    plain = await listen(
      createServer(({ url = '/', headers: { authorization } }, response) => {
        shown.add(authorization);
        response.writeHead(302, { location: `https://localhost:${secure.address.port}${url}` }).end();
      }),
    );
  });

  beforeEach(() => logins.clear());
  afterAll(() => Promise.all([plain, secure].map(({ close }) => close())));

  test.each([
    ['token', 'Bearer'],
    ['password', 'Basic'],
  ] as const)('the same host gets the %s where it begins, and not before', async (login, scheme) => {
    const url = `http://localhost:${plain.address.port}/app.git`;
    const asked = { url, login, namedHost: 'localhost', more: { 'ca.crt': certificate.cert } };
    expect(await list(asked)).toContain('refs/heads/main');
    expect(logins).toContain(scheme);
    expect(shown).toEqual(new Set([undefined]));
  });

  test('another host is trusted by it, and gets no login', async () => {
    const url = `http://127.0.0.1:${plain.address.port}/public/app.git`;
    expect(await list({ url, more: { 'ca.crt': certificate.cert } })).toContain('refs/heads/main');
    expect(logins).toEqual(new Set([undefined]));
  });
});

test.each([
  ['to a metadata server', 'http://169.254.169.254', /leads to 169\.254\.169\.254, a link-local address/],
  ['to its name', 'http://metadata.google.internal', /leads to metadata\.google\.internal, a link-local address/],
  ['to a file', 'file:///etc', /redirects to a URL that is not http or https/],
  ['to a page', 'http://127.0.0.1:1/?', /^cannot fetch .*ECONNREFUSED|not the URL of a git repository/],
])('a redirect %s is refused', async (_title, location, message) => {
  target = location;
  await expect(list()).rejects.toMatchObject({ reason: 'GitOperationFailed', message: expect.stringMatching(message) });
});

test('a redirect that never ends is given up', async () => {
  target = originOf(door);
  await expect(list()).rejects.toThrow('more than 10 redirects');
});

test.each([
  ['socks5://proxy.example:1080', 'socks5h://proxy.example:1080'],
  ['socks5h://proxy.example:1080', 'socks5h://proxy.example:1080'],
  ['http://proxy.example:3128', 'http://proxy.example:3128'],
])('behind %s, it is the proxy that looks up names', async (proxy, expected) => {
  const options = { ...(await optionsOf({ url: 'https://git.example/app.git' })), proxies: { https: proxy } };
  const git = createGit({ run, gitPath: 'git' }, options);
  expect((await git.output('config', '--get', 'http.proxy')).trim()).toBe(expected);
});

test('git uses the address that was checked for a host that the spec does not name', async () => {
  const { port } = new URL(server.origin);
  const url = `http://mirror.example:${port}/app.git`;
  const asked = { url, namedHost: 'localhost' };
  expect(await list({ ...asked, resolve: resolveTo('127.0.0.1') })).toContain('refs/heads/main');
  await expect(list({ ...asked, resolve: resolveTo('127.0.0.1', '169.254.169.254') })).rejects.toThrow(
    'leads to mirror.example, a link-local address',
  );
  await expect(list({ ...asked, url: `http://169.254.169.254:${port}/app.git` })).rejects.toThrow('link-local');
});

test.each(['mirror.example', '127.0.0.1', 'localhost'])(
  'git is led to no loopback address where the spec names none: %s',
  async (host) => {
    const url = `http://${host}:${new URL(server.origin).port}/app.git`;
    await expect(list({ url, namedHost: 'git.example', resolve: resolveTo('127.0.0.1') })).rejects.toThrow(
      `leads to ${host}, a loopback address`,
    );
  },
);

test('git is led to what its own server is', async () => {
  const { port } = new URL(server.origin);
  expect(await list({ url: `http://127.0.0.1:${port}/app.git`, namedHost: 'localhost' })).toContain('refs/heads/main');
});

test('a git that would look up the address itself is not led to another host', async () => {
  const gitPath = path.join(root, 'old-git');
  await writeFile(gitPath, '#!/bin/sh\n[ "$1" = --version ] && exec echo "git version 2.34.1"\nexec git "$@"\n');
  await chmod(gitPath, 0o755);
  const url = `http://mirror.example:${new URL(server.origin).port}/app.git`;
  const question = { url, gitPath, resolve: resolveTo('127.0.0.1') };
  expect(await list({ ...question, url: `${server.origin}/app.git` })).toContain('refs/heads/main');
  await expect(list({ ...question, namedHost: 'localhost' })).rejects.toThrow(
    'leads to mirror.example, for which the controller needs git 2.37 or newer, not git version 2.34.1',
  );
});
