import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { secretResource } from '#api/core.js';
import { startHttpServer, type HttpServer } from '#sandbox/world/ports.js';
import { conditionOf, useHarness } from './harness.js';

const LOGIN = { username: 'robot', password: 'sesame' };
const AUTHORIZATION = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`;
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six'];

const harness = useHarness('src-mirror');
let server: HttpServer;
/** Set: only this login is let in. */
let wanted: string | undefined;
/** Commands of git's protocol, by the path of the repository. */
const commands: string[] = [];

async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = await buffer(incoming);
  if (wanted !== undefined && headers.authorization !== wanted) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    return;
  }
  const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  const command = /command=(fetch|ls-refs)/.exec(plain.toString('latin1'))?.[1];
  if (command !== undefined) commands.push(command);
  const target = new URL(url, harness.gitUrl);
  const outgoing = request(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  outgoing.end(body);
}

beforeAll(async () => {
  await harness.commit({ 'app.yaml': 'a: 1\n' });
  server = await startHttpServer((incoming, response) => void pass(incoming, response));
});

afterAll(() => server.close());

function spec(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    url: `${server.origin}${new URL(harness.gitUrl).pathname}`,
    ref: { branch: 'main' },
    timeout: '10m',
    ...fields,
  };
}

/** How often git fetched while `work` ran. */
async function fetchesDuring(work: () => Promise<unknown>): Promise<number> {
  const before = commands.length;
  await work();
  return commands.slice(before).filter((command) => command === 'fetch').length;
}

describe('GitRepositories with one URL', () => {
  test('cost one fetch together', async () => {
    const fetches = await fetchesDuring(async () => {
      await Promise.all(NAMES.map((name) => harness.apply('GitRepository', name, spec())));
      await Promise.all(NAMES.map((name) => harness.untilReady('GitRepository', name)));
    });
    expect(fetches).toBe(1);
  });

  test('cost one more for a new commit, which all of them get', async () => {
    const commit = await harness.commit({ 'app.yaml': 'a: 2\n' });
    const fetches = await fetchesDuring(async () => {
      const found = await Promise.all(NAMES.map((name) => harness.reconcile('GitRepository', name)));
      const revisions = found.map(({ status }) => status?.artifact?.revision);
      expect(new Set(revisions)).toEqual(new Set([`main@sha1:${commit}`]));
      const digests = found.map(({ status }) => status?.artifact?.digest);
      expect(new Set(digests).size).toBe(1);
    });
    expect(fetches).toBe(1);
  });

  test('cost none when nothing moved', async () => {
    expect(await fetchesDuring(() => harness.reconcile('GitRepository', 'one'))).toBe(0);
  });
});

describe('what one login fetched', () => {
  beforeAll(async () => {
    wanted = AUTHORIZATION;
    for (const [name, password] of [
      ['right', LOGIN.password],
      ['wrong', 'guess'],
    ] as const) {
      const metadata = { name, namespace: harness.namespace };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { ...LOGIN, password } };
      await harness.host.create(secretResource, secret);
    }
  });

  test.each([
    ['another one', { secretRef: { name: 'wrong' } }],
    ['nobody', {}],
  ])('is not given to %s, by no reference', async (_title, access) => {
    const right = spec({ secretRef: { name: 'right' } });
    await harness.apply('GitRepository', 'right', right);
    const { status } = await harness.untilReady('GitRepository', 'right');
    const commit = status?.artifact?.revision.split(':')[1];
    for (const ref of [{ branch: 'main' }, { commit }]) {
      await harness.apply('GitRepository', 'intruder', spec({ ...access, ref }));
      const { status: refused } = await harness.until('GitRepository', 'intruder', (current) => {
        expect(conditionOf(current, 'Ready')).toMatchObject({
          status: 'False',
          reason: 'GitOperationFailed',
          observedGeneration: current.metadata.generation,
        });
      });
      expect(refused?.artifact).toBeUndefined();
    }
    await harness.remove('GitRepository', 'intruder');
  });

  test('is not given to it again once the server refuses it', async () => {
    wanted = 'nothing that anybody has';
    const commit = (await harness.read('GitRepository', 'right'))?.status?.artifact?.revision.split(':')[1];
    await harness.apply('GitRepository', 'late', spec({ secretRef: { name: 'right' }, ref: { commit } }));
    const late = await harness.until('GitRepository', 'late', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason: 'GitOperationFailed' });
    });
    expect(late.status?.artifact).toBeUndefined();
    // What is there already stays.
    await harness.reconcile('GitRepository', 'right');
    expect((await harness.read('GitRepository', 'right'))?.status?.artifact).toBeDefined();
  });
});
