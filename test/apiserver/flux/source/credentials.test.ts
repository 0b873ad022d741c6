import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startHttpServer, type HttpServer } from '#sandbox/servers/http.js';
import { secretResource } from '#api/core.js';
import { forward } from '#test/support/forward.js';
import { conditionOf, useHarness } from './harness.js';

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

/** Lets requests with the login (or all, when not `closed`) through to `to`, or sends them elsewhere. */
async function gate({
  to,
  closed = true,
  redirect = false,
}: {
  to: string;
  closed?: boolean;
  redirect?: boolean;
}): Promise<Gate> {
  const seen: (string | undefined)[] = [];
  const server = await startHttpServer((incoming, response) => {
    seen.push(incoming.headers.authorization);
    if (closed && incoming.headers.authorization !== EXPECTED) {
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
