import { describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { request } from 'node:http';
import { fixture } from '../../support/fixture.js';
import { eventually, useWorld } from '../../support/world.js';
import { proxied, send, startConsole, type Console } from './harness.js';
import { dismiss, gatherPeople, withWeb, type People } from './people.js';

interface Setting extends People {
  /** Trusts this machine as a proxy, and takes few requests. */
  readonly strict: Console;
  readonly streaming: Console;
}

const MOST = 8;
const STREAMS = { perUser: 1_000, total: 60, heartbeatMs: 50 };

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const people = await gatherPeople(world, 'limits');
    const { kube, namespace } = people;
    const trusted = ['127.0.0.1'];
    const strict = await startConsole(world, { kube, namespace, trusted, more: { requestsPerMinute: MOST } });
    const streaming = await startConsole(world, { kube, namespace, more: { streams: STREAMS } });
    return { ...people, strict, streaming };
  },
  async (people) => {
    await Promise.all([people.strict.stop(), people.streaming.stop()]);
    await dismiss(people);
  },
);

const at = (rest = ''): string => `/api/v1/namespaces/${setting.namespace}/applications${rest}`;

/** Status and one header of the answer to a user behind a proxy, or to the address itself. */
function ask(username?: string): Promise<{ code: number; retryAfter: string }> {
  const headers = username === undefined ? [] : proxied({ username });
  return new Promise((resolve, reject) => {
    const all = ['host', 'console', ...headers];
    const target = { host: '127.0.0.1', port: setting.strict.port, path: at(), headers: all, agent: false };
    const asked = request(target, (answer) => {
      answer.resume();
      resolve({ code: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] ?? '' });
    });
    asked.on('error', reject).end();
  });
}

describe('a limit on requests', () => {
  it('is one of each user behind a proxy, and of each other address, and says when to come back', async () => {
    for (let turn = 0; turn < MOST; turn += 1) expect((await ask('eve')).code).toBe(403);
    const refused = await ask('eve');
    expect([refused.code, refused.retryAfter]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await ask('adam')).code).toBe(403);
    for (let turn = 0; turn < MOST; turn += 1) expect((await ask()).code).toBe(401);
    expect((await ask()).code).toBe(429);
    expect((await ask('adam')).code).toBe(403);
  });
});

describe('a request that nobody should send', () => {
  const call = (path: string, more = {}) => send(setting.plain.port, path, { token: setting.tokens.admin, ...more });

  it('of 10 MB is refused before it is read', async () => {
    const answer = await call(at(), { method: 'POST', raw: `{"a":"${'x'.repeat(10 * 1024 * 1024)}"}` }).catch(
      (error: unknown) => ({ code: (error as NodeJS.ErrnoException).code, text: '' }),
    );
    // The server answers and hangs up: the answer may be lost behind what is still being sent.
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(answer.code);
    expect((await call(at())).code).toBe(200);
  });

  /** An Application with values of this many levels. */
  const nested = (depth: number, name: string) => {
    const values = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const helmRelease = `{"chart":{"chart":"web"},"deploy":[{"destination":{"targetNamespace":"web"},"values":${values}}]}`;
    const source = '{"sourceRef":{"kind":"HelmRepository","name":"charts"}}';
    const spec = `{"kind":"fluxcd","fluxApp":{"spec":{"source":${source},"config":{"helmRelease":${helmRelease}}}}}`;
    const meta = `"apiVersion":"gitops.kubesphere.io/v1alpha1","kind":"Application","metadata":{"name":"${name}"}`;
    return `{${meta},"spec":${spec}}`;
  };

  it.each([
    [at, '?dryRun=All'],
    [() => `/kapis/gitops.kubesphere.io/v1alpha1/namespaces/${setting.namespace}/applications`, ''],
  ])('of lists in lists in lists is refused, route %#', async (path, query) => {
    for (const raw of ['['.repeat(100_000), nested(20_000, 'deep')]) {
      const answer = await call(`${path()}${query}`, { method: 'POST', raw });
      expect([answer.code, answer.text]).toEqual([400, expect.stringContaining('nests more than 1000')]);
    }
  });

  it('of as many levels as may be is decided by the API server', async () => {
    const answer = await call(at('?dryRun=All'), { method: 'POST', raw: nested(900, 'deep') });
    expect([answer.text.slice(0, 600), answer.code]).toEqual([expect.stringContaining('deep'), 201]);
  });

  it.each<[string, () => string, number]>([
    ['up and out', () => `/api/v1/namespaces/${setting.namespace}/applications/../../../../metrics`, 404],
    ['up and out, encoded', () => at('/%2e%2e%2f%2e%2e'), 404],
    ['a slash in a name', () => at('/a%2Fb'), 404],
    ['a zero byte in a name', () => at('/a%00'), 404],
    ['half a character', () => at('/%E0%A4'), 404],
    ['a name in capitals', () => at('/WEB'), 404],
    ['a name of 254 characters', () => at(`/${'a'.repeat(254)}`), 404],
    ['two slashes', () => `//api/v1/applications`, 404],
    ['a whole URL', () => 'http://127.0.0.1/api/v1/none', 404],
    ['a page that is none', () => at('?page=-1'), 400],
    ['an unknown key', () => at('?unknown=1'), 400],
    ['a key of every object', () => at('?__proto__=1'), 400],
  ])('%s', async (_, path, code) => expect((await call(path())).code).toBe(code));

  it('past the last page gets an empty one', async () => {
    await withWeb(setting);
    const { code, text } = await call(at('?page=1000000&limit=500'));
    expect([code, JSON.parse(text)]).toMatchObject([200, { items: [], total: 1 }]);
  });
});

describe('readers of streams who read nothing', () => {
  const sockets: Socket[] = [];

  function open(): Promise<string> {
    const { streaming, namespace, tokens } = setting;
    return new Promise((resolve) => {
      const socket = connect(streaming.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => resolve('gone'));
      socket.on('close', () => resolve('gone'));
      socket.once('data', (chunk: Buffer) => {
        socket.pause();
        resolve(chunk.toString().slice(9, 12));
      });
      const path = `/api/v1/namespaces/${namespace}/changes`;
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.admin}\r\n\r\n`);
    });
  }

  it('are as many as there may be, and cost no more memory the longer they stay', async () => {
    const codes = await Promise.all(Array.from({ length: 900 }, open));
    const count = (code: string): number => codes.filter((each) => each === code).length;
    expect([count('200'), count('429') + count('gone')]).toEqual([STREAMS.total, 900 - STREAMS.total]);
    const before = process.memoryUsage();
    for (let turn = 0; turn < 20; turn += 1) await withWeb(setting, { annotations: { turn: 'x'.repeat(turn) } });
    const after = process.memoryUsage();
    expect(after.external - before.external).toBeLessThan(64 * 1024 * 1024);
    expect((await send(setting.streaming.port, at(), { token: setting.tokens.admin })).code).toBe(200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect(await open()).toBe('200'));
    for (const socket of sockets) socket.destroy();
  });
});
