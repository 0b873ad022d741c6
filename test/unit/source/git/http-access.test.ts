import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '#engine/process/run.js';
import { createGit } from '#controllers/source/git/git.js';
import { httpAccess } from '#controllers/source/git/credentials.js';
import { listen, type Listening } from '#runtime/process/listen.js';

const LOGINS = {
  token: { bearerToken: 'secret-token' },
  password: { username: 'robot', password: 'secret' },
} as const;

let folder: string;
let ours: Listening;
let others: Listening;
/** The logins that the servers were shown, by their ports. */
const shown = new Map<number, Set<string | undefined>>();

async function server(): Promise<Listening> {
  const seen = new Set<string | undefined>();
  const listening = await listen(
    createServer(({ headers: { authorization } }, response) => {
      seen.add(authorization?.split(' ')[0]);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    }),
  );
  shown.set(listening.address.port, seen);
  return listening;
}

function urlOf({ address: { port } }: Listening): string {
  return `http://127.0.0.1:${port}/app`;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-login-'));
  [ours, others] = [await server(), await server()];
});

afterAll(async () => {
  await Promise.all([ours, others].map(({ close }) => close()));
  await rm(folder, { recursive: true, force: true });
});

/** What git says when it is asked for `asked` with a login for our server. */
async function refusal(login: keyof typeof LOGINS, asked: string): Promise<string> {
  const url = urlOf(ours);
  const access = { ...(await httpAccess(new Map(Object.entries(LOGINS[login])), folder, url)), identity: login };
  const common = { proxies: {}, home: folder, timeoutMs: 60_000, startedAt: performance.now() };
  const git = createGit({ run, gitPath: 'git' }, { ...common, url, access, signal: new AbortController().signal });
  return (await git.attempt('ls-remote', '--', asked)).stderr;
}

test.each([
  ['token', 'Bearer'],
  ['password', 'Basic'],
] as const)('git shows a %s to the server that it is for, and to no other one', async (login, scheme) => {
  for (const seen of shown.values()) seen.clear();
  await refusal(login, urlOf(ours));
  await refusal(login, urlOf(others));
  expect(shown.get(ours.address.port)).toContain(scheme);
  expect(shown.get(others.address.port)).toEqual(new Set([undefined]));
});

test.each(['ssh://git@127.0.0.1:1/app', 'git@127.0.0.1:app', 'https:127.0.0.1/app'])('%s is not tried', async (url) => {
  expect(await refusal('token', url)).toContain("transport 'ssh' not allowed");
});
