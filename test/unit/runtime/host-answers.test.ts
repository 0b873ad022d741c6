import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { createKube } from '#runtime/client/http-kube.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { heldBytes } from '../../support/heap.js';

const TYPE = { group: 'test.dev', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const MIB = 1024 * 1024;

function thing(name: string, spec: unknown): Unstructured {
  return { apiVersion: 'test.dev/v1', kind: 'Thing', metadata: { name, namespace: 'shop' }, spec };
}

describe('answers of the host, in which tenants write', () => {
  let listening: Listening;
  let server: string;
  let kube: Kube;
  let objects: Unstructured[];
  let limits: number[];

  function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(url, 'http://host.test');
    if (searchParams.get('watch') === 'true') {
      return void response.end(objects.map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`).join(''));
    }
    if (!searchParams.has('limit')) return void response.end(JSON.stringify(objects[0]));
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

  it('come in larger pages again behind large objects', async () => {
    const large = Array.from({ length: 13 }, (_, index) => thing(`t${index}`, { text: 'x'.repeat(1.5 * MIB) }));
    objects = [...large, ...Array.from({ length: 987 }, (_, index) => thing(`s${index}`, {}))];
    const { items } = await listAll<Unstructured>(kube, TYPE);
    expect(items).toHaveLength(1_000);
    expect(limits).toEqual([500, 63, 8, 8, 8, 64, 500, 500]);
  });

  it('have as many objects as were asked for, where one page is asked for', async () => {
    objects = Array.from({ length: 20 }, (_, index) => thing(`t${index}`, { text: 'x'.repeat(MIB) }));
    const { items, continueToken } = await kube.list<Unstructured>(TYPE, { limit: 20 });
    expect([items.length, continueToken]).toEqual([20, undefined]);
  });

  it('are whole for one object that is longer than a page', async () => {
    objects = [thing('long', { text: 'x'.repeat(17 * MIB) }), thing('short', {})];
    const { items } = await listAll<Unstructured>(kube, TYPE);
    expect(items.map(({ spec }) => JSON.stringify(spec).length)).toEqual([17 * MIB + 11, 2]);
    expect(limits).toEqual([500, 63, 8, 1, 1]);
  });

  it('take about as much memory as their text, however dense it is: objects, lists and events', async () => {
    const values = { a: Array.from({ length: 400_000 }, () => ({})) };
    const text = JSON.stringify(thing('t0', { values }));
    objects = [thing('t0', { values })];
    const before = heldBytes();
    const found: unknown[] = [await kube.get(TYPE, { name: 't0', namespace: 'shop' })];
    found.push(await kube.update(TYPE, thing('t0', {})), ...(await listAll<Unstructured>(kube, TYPE)).items);
    const { signal } = new AbortController();
    for await (const event of kube.watch<Unstructured>(TYPE, { resourceVersion: '1', timeoutSeconds: 5, signal })) {
      if ('object' in event) found.push(event.object);
    }
    expect(heldBytes() - before).toBeLessThan(12 * MIB);
    expect(found.map((object) => JSON.stringify(object) === text)).toEqual([true, true, true, true]);
  });
});
