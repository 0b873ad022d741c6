import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type ServerResponse } from 'node:http';
import { secretResource } from '#api/core.js';
import { requestToken } from '#controllers/cluster/credential/token.js';
import { reach } from '#controllers/cluster/probe/reach.js';
import { kubeFromConfig, type ClusterCredential } from '#runtime/client/credentials.js';
import { TransientError } from '#lib/errors.js';
import type { Resolve } from '#lib/net/link-local.js';
import { listen, type Listening } from '#runtime/process/listen.js';

const BLOCK = Buffer.alloc(65_536, '[],');
const { signal } = new AbortController();
const secret = { namespace: 'shop', name: 'any' };

/** Writes until the client hangs up. */
function endlessly(response: ServerResponse, onBytes: (count: number) => void): void {
  const write = (): void => {
    while (!response.destroyed) {
      onBytes(BLOCK.length);
      if (!response.write(BLOCK)) return;
    }
  };
  response.on('drain', write);
  write();
}

describe('a server that a tenant names', () => {
  let listening: Listening;
  let credential: ClusterCredential;
  let answers: Record<string, (response: ServerResponse) => void>;
  let requests: number;
  let written: number;
  const endless =
    (code = 200) =>
    (response: ServerResponse) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      endlessly(response, (count) => (written += count));
    };
  const text = (body: string) => (response: ServerResponse) => response.end(body);
  const version = text('{"gitVersion":"v1.31.0"}');
  const ask = (): Promise<unknown> => reach(credential, signal);
  const askToken = (): Promise<unknown> =>
    requestToken(credential, { namespace: 'a', name: 'b' }, { fence: undefined, signal });

  beforeAll(async () => {
    const server = createServer((request, response) => {
      requests += 1;
      const found = Object.entries(answers).find(([path]) => request.url?.endsWith(path) === true);
      if (found === undefined) response.writeHead(404).end();
      else found[1](response);
    });
    listening = await listen(server);
    credential = { server: `http://127.0.0.1:${listening.address.port}` };
  });

  beforeEach(() => {
    [requests, written] = [0, 0];
  });

  afterAll(() => listening.close());

  test.each([
    ['a token', () => askToken()],
    ['a version', () => ask()],
  ])(
    'that answers a byte a second gets no more than eight seconds for %s',
    async (_, asking) => {
      const startedAt = performance.now();
      let timer: NodeJS.Timeout | undefined;
      answers = {
        '': (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          timer = setInterval(() => response.write(' '), 1_000);
        },
      };
      await expect(asking()).rejects.toThrow(/did not answer within 8 s/);
      clearInterval(timer);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    },
    30_000,
  );

  test.each([200, 500])('that answers %i without end is cut off once, at the bound', async (code) => {
    answers = { '': endless(code) };
    const kube = kubeFromConfig(credential);
    const answer = kube.get(secretResource, secret, { maxBytes: 1_000_000 });
    await expect(answer).rejects.toThrow(/cannot get Secret shop\/any: .* answered with more than 1000000 bytes/);
    await expect(kube.get(secretResource, secret)).rejects.toMatchObject({
      reason: 'AnswerTooLong',
      status: undefined,
    });
    await kube.close();
    expect(requests).toBe(2);
    expect(written).toBeLessThan(100_000_000);
  });

  test('whose watch sends a line without end is cut off at the bound', async () => {
    answers = { '': endless() };
    const kube = kubeFromConfig(credential);
    const events = kube.watch(secretResource, { resourceVersion: '1', timeoutSeconds: 5 });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow(/the stream broke/);
    await kube.close();
    expect(written).toBeLessThan(60_000_000);
  });

  test.each([
    ['a server', 'link-local', '169.254.169.254', (url: string) => ({ server: url })],
    [
      'a proxy',
      'link-local',
      '169.254.169.254',
      (url: string) => ({ server: 'https://member.example', proxyUrl: url }),
    ],
    ['a server', 'loopback', '127.0.0.1', (url: string) => ({ server: url })],
    ['a proxy', 'loopback', '127.0.0.1', (url: string) => ({ server: 'https://member.example', proxyUrl: url })],
  ])('is not asked where the name of %s leads to a %s address', async (_what, kind, address, credentialOf) => {
    answers = { '': version };
    const resolve: Resolve = (_host, _options, callback) => callback(null, [{ address, family: 4 }]);
    const kube = kubeFromConfig(credentialOf(`http://rebound.example:${listening.address.port}`), resolve);
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: secret };
    await expect(kube.create(secretResource, object)).rejects.toThrow(`is a name of a ${kind} address`);
    await kube.close();
    expect(requests).toBe(0);
  });

  test.each([
    ['a version', ask, '/version'],
    ['a Namespace', ask, '/kube-system'],
    ['a token', askToken, '/token'],
  ])('may not answer without end where %s is asked for', async (_what, asked, path) => {
    answers = { '/version': version, [path]: endless() };
    await expect(asked()).rejects.toMatchObject({ name: 'TransientError', reason: 'AnswerTooLong' });
    expect(written).toBeLessThan(20_000_000);
  });

  test.each([
    ['a Namespace that is null', ask, '/kube-system', 'null'],
    ['a Namespace without metadata', ask, '/kube-system', '{}'],
    ['a UID that is a map', ask, '/kube-system', '{"metadata":{"uid":{"a":1}}}'],
    ['a long UID', ask, '/kube-system', JSON.stringify({ metadata: { uid: 'a'.repeat(10_000) } })],
    ['a page', ask, '/kube-system', '<html>'],
    ['nearly JSON', ask, '/version', '{<html>'],
    ['no TokenRequest', askToken, '/token', 'null'],
    ['an empty TokenRequest', askToken, '/token', '{}'],
    ['a page instead of a token', askToken, '/token', '<html>'],
    ['a token that is a list', askToken, '/token', '{"status":{"token":["a"]}}'],
  ])('fails as one that is away with %s', async (_what, asked, path, body) => {
    answers = { '/version': version, [path]: text(body) };
    await expect(asked()).rejects.toBeInstanceOf(TransientError);
  });

  test('reaches with a version and a UID, and gives a token that lives as long as the server says', async () => {
    answers = {
      '/version': version,
      '/kube-system': text('{"metadata":{"uid":"b0b1c2d3-0000"}}'),
      '/token': text('{"spec":{"expirationSeconds":600},"status":{"token":"abc"}}'),
    };
    expect(await ask()).toEqual({ server: credential.server, version: 'v1.31.0', uid: 'b0b1c2d3-0000' });
    expect(await askToken()).toMatchObject({ credential: { token: 'abc' }, lifeSeconds: 600 });
  });
});
