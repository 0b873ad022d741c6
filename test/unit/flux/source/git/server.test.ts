import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '#controllers/engine/process/run.js';
import { createGit } from '#controllers/flux/source/git/git.js';
import { httpAccess } from '#controllers/flux/source/git/http-access.js';
import { Server } from '#controllers/flux/source/git/server.js';
import type { Resolve } from '#controllers/runtime/pure/link-local.js';
import { listen, type Listening } from '#controllers/runtime/listen.js';
import { startGitServer } from '#sandbox/git-server.js';
import { seedRepository } from '#sandbox/servers/git-repository.js';
import type { HttpServer } from '#sandbox/servers/http.js';

const LOGINS = {
  token: { bearerToken: 'secret-token' },
  password: { username: 'robot', password: 'secret' },
} as const;

let root: string;
let server: HttpServer;
/** Redirects all requests to `target`, after a login unless they are for `/public`. */
let door: Listening;
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

beforeEach(() => shown.clear());

afterAll(async () => {
  await Promise.all([server, door, stranger].map(({ close }) => close()));
  await rm(root, { recursive: true, force: true });
});

interface Question {
  readonly url?: string;
  readonly login?: keyof typeof LOGINS;
  readonly namedHost?: string;
  readonly resolve?: Resolve;
}

async function optionsOf({ url = `${originOf(door)}/app.git`, login = 'password' }: Question) {
  const access = { ...(await httpAccess(new Map(Object.entries(LOGINS[login])), root, url)), identity: login };
  const common = { proxies: {}, home: root, timeoutMs: 60_000, startedAt: performance.now() };
  return { ...common, url, access, signal: new AbortController().signal };
}

/** The references that a server lists. */
async function list(question: Question = {}): Promise<string> {
  const { namedHost = '127.0.0.1', resolve } = question;
  const options = { ...(await optionsOf(question)), namedHost };
  const asked = new Server({ run, gitPath: 'git' }, options, resolve);
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

test('git uses the address that was checked for a host that the spec does not name', async () => {
  const { port } = new URL(server.origin);
  const url = `http://mirror.example:${port}/app.git`;
  const asked = { url, namedHost: 'git.example' };
  expect(await list({ ...asked, resolve: resolveTo('127.0.0.1') })).toContain('refs/heads/main');
  await expect(list({ ...asked, resolve: resolveTo('127.0.0.1', '169.254.169.254') })).rejects.toThrow(
    'leads to mirror.example, a link-local address',
  );
  await expect(list({ ...asked, url: `http://169.254.169.254:${port}/app.git` })).rejects.toThrow('link-local');
});
