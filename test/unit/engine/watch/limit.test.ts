import { expect, test } from '@jest/globals';
import type { Logger } from 'pino';
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate as immediately } from 'node:timers/promises';
import type { ResourceType } from '#api/meta.js';
import type { Member } from '#engine/member/member.js';
import { CancelledError } from '#lib/errors.js';
import { createManagedWatches } from '#engine/watch/managed-watches.js';
import type { Kube, WatchQuery } from '#runtime/client/kube.js';
import { eventually } from '#bench/scenarios/eventually.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { listen } from '#runtime/process/listen.js';
import { createLogger } from '#runtime/process/log.js';

const LIMIT = 4;
const OPTIONS = { label: 'x', reads: { labels: ['a'] }, ownerOf: () => undefined };

function typeOf(kind: string): ResourceType {
  return { group: 'example.com', version: 'v1', kind, plural: kind.toLowerCase(), namespaced: true };
}

/** The kinds of a member that are watched now. */
function watchedMember() {
  const open = new Set<string>();
  const watch = async function* ({ kind }: ResourceType, { signal }: WatchQuery) {
    open.add(kind);
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    open.delete(kind);
    yield* [];
  };
  const kube = { watch } as unknown as Kube; // nothing else is asked
  const member = { key: 'c1', kube } as unknown as Member; // nothing else is read
  return { open, member };
}

test('watches only for deletions give way to those for drift', async () => {
  const watches = createManagedWatches({
    ...{ ...OPTIONS, log: createLogger('silent'), limit: LIMIT },
  });
  const { open, member } = watchedMember();
  const keep = async (owner: string, kinds: readonly string[], onlyDeletions: boolean): Promise<string[]> => {
    void watches.keep(owner, member, kinds.map(typeOf), { onlyDeletions });
    await immediately();
    return [...open].sort();
  };
  expect(await keep('deletions', ['A', 'B', 'C'], true)).toEqual(['A', 'B']);
  expect(await keep('drift', ['B', 'D', 'E', 'F', 'G'], false)).toEqual(['B', 'D', 'E', 'F']);
  expect(await keep('deletions', ['A', 'B', 'C'], true)).toEqual(['B', 'D', 'E', 'F']);
  await watches.close();
});

const MEBIBYTE = 1024 * 1024;

/** Events of a watch: objects, and the end of the list. */
function events(names: readonly string[], labels: object, annotations: object): string {
  const lines = names.map((name) => ({ type: 'ADDED', object: { metadata: { name, labels, annotations } } }));
  const ends = { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } };
  return [...lines, { type: 'BOOKMARK', object: { metadata: ends } }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

const LONG = { a: 'a'.repeat(MEBIBYTE / 4) };

/** A line that never ends. */
const PART = `{"type":"ADDED","object":{"metadata":{"name":"${'a'.repeat(2 * MEBIBYTE)}`;

/** A server that streams no lists. */
function answerPaged(url: string, names: readonly string[], response: ServerResponse): void {
  const items = names.map((name) => ({ metadata: { name, labels: LONG } }));
  if (url.includes('sendInitialEvents')) response.writeHead(400).end('{}');
  else if (url.includes('watch=true')) response.write('\n');
  else response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
}

/** A server whose path says how much it sends; each stream of `more` ends, and brings other objects than the last one. */
async function servedWatches() {
  const open = new Map<string, Set<ServerResponse>>();
  let count = 0;
  const server = createServer(({ url = '' }, response) => {
    const path = url.split('/')[1] ?? '';
    open.set(path, (open.get(path) ?? new Set()).add(response));
    response.on('close', () => open.get(path)?.delete(response));
    const names = Array.from({ length: 8 }, () => `o${(count += 1)}`);
    if (path === 'paged') answerPaged(url, names, response);
    else if (path === 'parts') response.write(PART);
    else response.write(path === 'more' || path === 'host' ? events(names, LONG, {}) : events(names, {}, LONG));
    if (path === 'more') setTimeout(() => response.end(), 1_050);
  });
  const { address, close } = await listen(server, { host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${address.port}`;
  return { open, close, kubeOf: (path: string) => kubeFromConfig({ server: `${origin}/${path}` }) };
}

function toldBy() {
  const told: unknown[] = [];
  const log = {
    child: (of: object) => ({ ...log, warn: (what: object) => told.push({ ...of, ...what }) }),
    debug: () => undefined,
  };
  return { told, log: log as unknown as Logger }; // as watches use it
}

test('watches that keep too much together end, and those of other namespaces go on', async () => {
  const { told, log } = toldBy();
  const watches = createManagedWatches({ ...OPTIONS, log, mostBytes: 6 * MEBIBYTE });
  const { open, close, kubeOf } = await servedWatches();
  const [more, less] = ['more', 'less'].map((path) => ({ key: `${path}/kc/value`, kube: kubeOf(path) }) as Member); // the rest is not asked
  if (more === undefined || less === undefined) throw new TypeError('two members');
  await watches.keep('less', less, ['A', 'B', 'C', 'D'].map(typeOf));
  await watches.keep('more', more, [typeOf('A')]);
  await eventually(() => expect(told).toContainEqual({ member: 'more/kc/value', kind: 'A' }), { timeoutMs: 60_000 });
  await eventually(() => expect(open.get('more')?.size).toBe(0));
  expect(open.get('less')?.size).toBe(4);
  expect(await watches.keep('more', more, [typeOf('A')])).toBe(false);
  expect(open.get('more')?.size).toBe(0);
  await watches.close();
  await Promise.all([more.kube.close(), less.kube.close()]);
  await close();
});

test('so do those whose lists come in pages', async () => {
  const { told, log } = toldBy();
  const watches = createManagedWatches({ ...OPTIONS, log, mostBytes: 6 * MEBIBYTE });
  const { open, close, kubeOf } = await servedWatches();
  const member = { key: 'paged/kc/value', kube: kubeOf('paged') } as Member; // the rest is not asked
  await watches.keep('paged', member, ['A', 'B', 'C', 'D'].map(typeOf));
  await eventually(() => expect(told.length).toBeGreaterThan(1));
  await eventually(() => expect(open.get('paged')?.size).toBe(2));
  expect(told).toHaveLength(2);
  await watches.close();
  await member.kube.close();
  await close();
});

test('so do those whose lines do not end', async () => {
  const { told, log } = toldBy();
  const watches = createManagedWatches({ ...OPTIONS, log, mostBytes: 6 * MEBIBYTE });
  const { open, close, kubeOf } = await servedWatches();
  const member = { key: 'parts/kc/value', kube: kubeOf('parts') } as Member; // the rest is not asked
  void watches.keep('parts', member, ['A', 'B', 'C', 'D'].map(typeOf));
  await eventually(() => expect(told).toHaveLength(2));
  await eventually(() => expect(open.get('parts')?.size).toBe(2));
  await watches.close();
  await member.kube.close();
  await close();
});

/** A member whose watches list 4 MiB of metadata, or nothing at all. */
function listingMember(isSilent: boolean): Member {
  const watch = async function* (_: ResourceType, { signal }: WatchQuery) {
    for (let index = 0; index < 16 && !isSilent; index += 1)
      yield { type: 'ADDED', object: { metadata: { name: `a${index}`, labels: LONG } } };
    if (!isSilent) yield { type: 'BOOKMARK', resourceVersion: '1', initialEventsEnd: true };
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    throw new CancelledError('the watch was ended');
  };
  return { key: 'rotated/kc/value', kube: { watch } as unknown as Kube } as Member; // the rest is not asked
}

test('what a watch has kept counts after its credential was rotated', async () => {
  const { told, log } = toldBy();
  const watches = createManagedWatches({ ...OPTIONS, log, mostBytes: 6 * MEBIBYTE });
  await watches.keep('a', listingMember(false), [typeOf('A')]);
  expect(await watches.keep('a', listingMember(true), [typeOf('A')])).toBe(false);
  expect(told).toEqual([]);
  await watches.keep('b', listingMember(false), [typeOf('B')]);
  expect(told).toEqual([{ member: 'rotated/kc/value', kind: 'A' }]);
  await watches.close();
});

test('watches of members end none of the host', async () => {
  const { told, log } = toldBy();
  const watches = createManagedWatches({ ...OPTIONS, log, mostBytes: 3 * MEBIBYTE });
  const { open, close, kubeOf } = await servedWatches();
  const host = { key: 'host', kube: kubeOf('host') } as Member; // the rest is not asked
  const member = { key: 'some/kc/value', kube: kubeOf('paged') } as Member; // the rest is not asked
  await watches.keep('of many', host, [typeOf('A')]);
  await watches.keep('some', member, ['A', 'B'].map(typeOf));
  await eventually(() => expect(told).toHaveLength(1));
  expect(told).toMatchObject([{ member: 'some/kc/value' }]);
  expect(open.get('host')?.size).toBe(1);
  await watches.close();
  await Promise.all([host.kube.close(), member.kube.close()]);
  await close();
});
