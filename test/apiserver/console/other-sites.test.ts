import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { proxied, PUBLIC_URL, send } from './harness.js';
import { dismiss, gatherPeople, withWeb, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'sites'), dismiss);

const memberName = (): string => `system:serviceaccount:${setting.namespace}:member`;
const path = (action: string): string => `/api/v1/namespaces/${setting.namespace}/applications/web${action}`;

/** The code of a request that changes something and has no body, and of one that reads. */
async function codesOf(port: number, headers: readonly string[], token?: string): Promise<number[]> {
  const sent = { headers, ...(token === undefined ? {} : { token }) };
  const changed = await send(port, path('/sync'), { method: 'POST', ...sent });
  return [changed.code, (await send(port, path(''), sent)).code];
}

async function suspended(): Promise<unknown> {
  const ref = { name: 'web', namespace: setting.namespace };
  return (await setting.kube.get<Application>(applicationResource, ref))?.spec.fluxApp?.spec.config.suspend;
}

/** A proxy that gives requests the name of the next server, as most do. */
async function proxyTo(port: number, more: Readonly<Record<string, string>>, forwards: boolean): Promise<Server> {
  const server = createServer(({ method, url, headers }, response) => {
    const { host = '', 'x-forwarded-host': before } = headers;
    const forwarded = forwards
      ? { 'x-forwarded-host': before === undefined ? host : `${String(before)}, ${host}` }
      : {};
    const passed = { ...headers, ...forwarded, ...more, host: `upstream.svc:${port}` };
    const next = request({ host: '127.0.0.1', port, path: url, method, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    next.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Runs `work` with the port of two proxies before the server, as of a console and of its API server. */
async function behindTwo<Out>(forwards: boolean, work: (port: number) => Promise<Out>): Promise<Out> {
  const user = { 'x-remote-user': memberName() };
  const inner = await proxyTo(setting.behindProxy.port, user, forwards);
  const outer = await proxyTo(portOf(inner), {}, forwards);
  try {
    return await work(portOf(outer));
  } finally {
    for (const server of [outer, inner]) {
      server.closeAllConnections();
      server.close();
    }
  }
}

describe('a change', () => {
  it.each<[string, readonly string[], number]>([
    ['of a page of another site', ['origin', 'http://evil.example:30999'], 403],
    ['of a page of another port', ['origin', 'http://console:30999'], 403],
    ['of an opaque page', ['origin', 'null'], 403],
    ['of two pages', ['origin', 'http://console', 'origin', 'http://console'], 403],
    ['of a host that nobody forwarded', ['origin', 'http://x.example', 'x-forwarded-host', 'x.example'], 403],
    ['of a form', ['content-type', 'application/x-www-form-urlencoded'], 415],
    ['of a form with plain text', ['content-type', 'text/plain'], 415],
    ['of the own page', ['origin', 'http://console'], 200],
    ['of the own page at the port of its scheme', ['origin', 'http://console:80'], 200],
    ['of an address that browsers know', ['origin', new URL(PUBLIC_URL).origin], 200],
    ['of a program', ['content-type', 'application/json; charset=utf-8'], 200],
  ])('%s is answered by its code, and reading by 200', async (_, headers, code) => {
    await withWeb(setting);
    expect(await codesOf(setting.plain.port, headers, setting.tokens.member)).toEqual([code, 200]);
  });

  it('of a page of another site is refused behind a proxy that says who the user is', async () => {
    await withWeb(setting);
    const headers = [...proxied({ username: memberName() }), 'origin', 'http://evil.example:30999'];
    const { code, text } = await send(setting.behindProxy.port, path('/suspend'), { method: 'POST', headers });
    expect([code, text]).toEqual([403, expect.stringContaining('add it to --public-url')]);
    expect(await suspended()).toBeUndefined();
  });

  it('passes two proxies that change Host, from the page that the browser shows', async () => {
    await withWeb(setting);
    await behindTwo(true, async (port) => {
      expect(await codesOf(port, ['origin', 'http://console'])).toEqual([200, 200]);
      expect(await codesOf(port, ['origin', 'http://evil.example'])).toEqual([403, 200]);
    });
  });

  it('passes two proxies that do not say what Host was, from an address that the server knows', async () => {
    await withWeb(setting);
    await behindTwo(false, async (port) => {
      expect(await codesOf(port, ['origin', 'http://console'])).toEqual([403, 200]);
      expect(await codesOf(port, ['origin', new URL(PUBLIC_URL).origin])).toEqual([200, 200]);
    });
  });
});
