import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { isCut } from '#lib/json/dense.js';
import { TerminalError } from '#lib/errors.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { createKube } from '#runtime/client/http-kube.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { listen, type Listening } from '#runtime/process/listen.js';

const TYPE = { group: 'test.dev', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const MIB = 1024 * 1024;

function thing(name: string, spec: unknown): Unstructured {
  return { apiVersion: 'test.dev/v1', kind: 'Thing', metadata: { name, namespace: 'shop' }, spec };
}

const dense = thing('dense', { url: 'https://x.test', values: Array.from({ length: 400_000 }, () => ({})) });

describe('answers of the host, in which tenants write', () => {
  let listening: Listening;
  let server: string;
  let kube: Kube;
  let objects: Unstructured[];
  let limits: number[];

  function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://host.test');
    const found = objects.find(({ metadata }) => pathname.includes(`/things/${metadata.name}`));
    if (found !== undefined) return void response.end(JSON.stringify(found));
    if (searchParams.get('watch') === 'true') {
      return void response.end(objects.map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`).join(''));
    }
    const [limit, from] = [Number(searchParams.get('limit')), Number(searchParams.get('continue') ?? 0)];
    limits.push(limit);
    const rest = from + limit < objects.length ? { continue: String(from + limit) } : {};
    const items = objects.slice(from, from + limit);
    response.end(JSON.stringify({ kind: 'ThingList', metadata: { resourceVersion: '1', ...rest }, items }));
  }

  beforeAll(async () => {
    listening = await listen(createServer(answer));
    server = `http://127.0.0.1:${listening.address.port}`;
    kube = createKube({ server, credential: () => Promise.resolve({ headers: {}, tls: {} }) });
  });

  beforeEach(() => {
    limits = [];
  });

  afterAll(async () => {
    await kube.close();
    await listening.close();
  });

  it('come in smaller pages if objects are large, each of which would be too long for a text together', async () => {
    objects = Array.from({ length: 13 }, (_, index) => thing(`t${index}`, { text: 'x'.repeat(1.5 * MIB) }));
    const { items } = await listAll<Unstructured>(kube, TYPE);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(objects.map(({ metadata }) => metadata.name));
    expect(limits).toEqual([500, 63, 8, 8]);
  });

  it('are whole for one object that is longer than a page', async () => {
    objects = [thing('long', { text: 'x'.repeat(17 * MIB) }), thing('short', {})];
    const { items } = await listAll<Unstructured>(kube, TYPE);
    expect(items.map(({ spec }) => JSON.stringify(spec).length)).toEqual([17 * MIB + 11, 2]);
    expect(limits).toEqual([500, 63, 8, 1, 1]);
  });

  it('lose what takes much more memory than its text: of a list, an object and an event', async () => {
    objects = [thing('a', { values: [{}] }), dense];
    const { items } = await kube.list(TYPE);
    expect(items.map(isCut)).toEqual([false, true]);
    const read = await kube.get<Unstructured>(TYPE, dense.metadata);
    expect(read).toMatchObject({ metadata: dense.metadata, spec: { url: 'https://x.test', values: [] } });
    const seen: unknown[] = [];
    const { signal } = new AbortController();
    for await (const event of kube.watch<Unstructured>(TYPE, { resourceVersion: '1', timeoutSeconds: 5, signal })) {
      if ('object' in event) seen.push([isCut(event.object), event.object.spec]);
    }
    expect(seen).toEqual([
      [false, { values: [{}] }],
      [true, { url: 'https://x.test', values: [] }],
    ]);
  });

  it('are never written back if they are not whole', async () => {
    objects = [dense];
    const read = await kube.get<Unstructured>(TYPE, dense.metadata);
    if (read === undefined) throw new Error('it is there');
    const options = { fieldManager: 'test' };
    for (const write of [
      () => kube.update(TYPE, read, options),
      () => kube.create(TYPE, read, options),
      () => kube.apply(TYPE, read, { ...options, force: true }),
    ]) {
      expect(write).toThrow(TerminalError);
      expect(write).toThrow(
        'cannot write Thing shop/dense: spec has so many lists and maps that it was not read whole',
      );
    }
    await expect(kube.update(TYPE, read, { ...options, subresource: 'status' })).resolves.toBeDefined();
  });

  it('are whole for a member, which has limits of its own', async () => {
    objects = [dense];
    const member = kubeFromConfig({ server });
    await expect(member.get(TYPE, dense.metadata)).rejects.toThrow('commas, brackets and digits');
    await member.close();
  });
});
