import { createServer, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { Member } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { ReleaseStorage } from '#controllers/helmrelease/storage.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { heldBytes } from '../../../support/heap.js';
import { eventually } from '#bench/scenarios/eventually.js';
import { listen, type Listening } from '#runtime/process/listen.js';

const MEBIBYTE = 1024 * 1024;
/** Limit on CPU time of this process, including the server, so that a busy machine does not matter. */
const MOST_CPU_MS = 5_000;
const { signal } = new AbortController();

let listening: Listening;
let answers: (url: string) => string | undefined;
/** Takes a response over, which then ends when it wants. */
let hangs: (url: string, response: ServerResponse) => boolean;
let requests: string[];
let users: (string | undefined)[];
let origin: string;

function send(response: ServerResponse, body: string | undefined): void {
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(body ?? '{}');
}

beforeAll(async () => {
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    users.push(request.headers['impersonate-user']?.toString());
    if (!hangs(request.url ?? '', response)) send(response, answers(request.url ?? ''));
  });
  listening = await listen(server);
  origin = `http://127.0.0.1:${listening.address.port}`;
});

afterAll(() => listening.close());

/** The member that a tenant's kubeconfig Secret leads to. */
function memberOf(serviceAccount?: string): Promise<Member> {
  return members.get({ secretRef: { name: 'kc' } }, 'team-b', { serviceAccount });
}

let host: Kube;
let members: ReturnType<typeof createMembers>;
let begun: ReturnType<typeof process.cpuUsage>;

beforeEach(() => {
  [requests, users] = [[], []];
  hangs = () => false;
  const kubeconfig = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [{ name: 'c', cluster: { server: origin } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: { token: 't' } }],
  });
  const secret = { data: { value: Buffer.from(kubeconfig).toString('base64') } };
  // The host is read only for the Secret.
  host = { server: 'https://host', get: () => Promise.resolve(secret) } as unknown as Kube;
  members = createMembers({ host, allowInsecure: true });
  begun = process.cpuUsage();
});

afterEach(async () => {
  await members.close();
});

/** A server with `count` groups, each of which answers with `list`. */
function groups(count: number, list: string): typeof answers {
  const named = Array.from({ length: count }, (_, index) => ({
    versions: [{ groupVersion: `g${index}.example.com/v1` }],
  }));
  return (url) => {
    if (url === '/version') return '{"gitVersion":"v1.31.0"}';
    if (url === '/api') return '{"versions":["v1"]}';
    return url === '/apis' ? JSON.stringify({ groups: named }) : list;
  };
}

const TOO_LONG = {
  name: 'TransientError',
  reason: 'AnswerTooLong',
  message: expect.stringMatching(/Secret team-b\/kc, key "value".*correct/),
};

async function heapOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 20);
  await work().finally(() => clearInterval(timer));
  return Math.max(most, process.memoryUsage().heapUsed) - before;
}

describe('a server that a kubeconfig Secret names', () => {
  test.each([
    ['empty objects', `{"resources":[${'{},'.repeat(1_398_000)}{}]}`],
    ['numbers of 19 digits', `{"resources":[],"a":[${'1234567890123456789,'.repeat(200_000)}1]}`],
    ['long texts', `{"resources":[{"kind":"A","name":"as","namespaced":true,"a":"${'a'.repeat(3 * MEBIBYTE)}"}]}`],
    [
      'kinds without end',
      `{"resources":[${Array.from({ length: 10_000 }, (_, index) => `{"kind":"K${index}","name":"k${index}","namespaced":true}`).join(',')}]}`,
    ],
  ])('may not fill the process with lists of %s', async (_what, list) => {
    answers = groups(40, list);
    const member = await memberOf();
    const used = await heapOf(async () => {
      await expect(member.capabilities()).rejects.toMatchObject(TOO_LONG);
    });
    expect(used).toBeLessThan(250 * MEBIBYTE);
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(MOST_CPU_MS);
    const asked = requests.length;
    await expect(member.capabilities()).rejects.toMatchObject(TOO_LONG);
    expect(asked).toBeLessThan(30);
  });

  test('may not list more groups and versions than any cluster has', async () => {
    answers = groups(2_001, '{"resources":[]}');
    await expect((await memberOf()).capabilities()).rejects.toMatchObject(TOO_LONG);
    expect(requests.length).toBeLessThan(30);
  });

  test('is not searched for a kind in versions without end', async () => {
    const versions = Array.from({ length: 1_900 }, (_, index) => ({ groupVersion: `g.example.com/v${index}` }));
    answers = (url) => (url === '/apis' ? JSON.stringify({ groups: [{ versions }] }) : '{"resources":[]}');
    const member = await memberOf();
    // It must not report that the kind does not exist: a version that was not searched may have it.
    await expect(member.servedType('g.example.com/v1', 'A', { signal })).rejects.toMatchObject(TOO_LONG);
    expect(requests.length).toBeLessThan(110);
  });

  test('of a group with dozens of versions is searched in all of them', async () => {
    const versions = Array.from({ length: 40 }, (_, index) => ({ groupVersion: `g.example.com/v${index}` }));
    const last = '{"resources":[{"name":"as","kind":"A","namespaced":true}]}';
    answers = (url) => {
      if (url === '/apis') return JSON.stringify({ groups: [{ versions }] });
      return url === '/apis/g.example.com/v39' ? last : '{"resources":[]}';
    };
    const member = await memberOf();
    expect(await member.servedType('g.example.com/v1', 'A', { signal })).toMatchObject({ version: 'v39' });
  });

  test('may not multiply a long name by its kinds', async () => {
    const kinds = Array.from({ length: 1_000 }, (_, index) => ({ kind: `K${index}`, name: `k${index}` }));
    const long = `${'g'.repeat(MEBIBYTE)}/v1`;
    answers = (url) => {
      if (url === '/apis') return JSON.stringify({ groups: [{ versions: [{ groupVersion: long }] }] });
      return url.length > 1_000 ? JSON.stringify({ resources: kinds }) : groups(0, '{}')(url);
    };
    const { apiVersions } = await (await memberOf()).capabilities();
    expect(apiVersions.join('').length).toBeLessThan(1_000);
  });

  test('may answer with fields of other types', async () => {
    answers = (url) =>
      url === '/apis'
        ? '{"groups":[null,{"versions":null},{"versions":[null,{"groupVersion":{}}]}]}'
        : { '/version': '{"gitVersion":{}}', '/api': '{"versions":{"a":1}}' }[url];
    expect(await (await memberOf()).capabilities()).toEqual({ kubeVersion: '', apiVersions: [] });
  });

  test.each([
    ['full', JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ metadata: { name: `s${index}` } })))],
    ['empty', '[]'],
    ['long', JSON.stringify([{ metadata: { name: 'a', annotations: { a: 'a'.repeat(3 * MEBIBYTE) } } }])],
    ['dense', `[${'{},'.repeat(800_000)}{}]`],
  ])('may not list %s pages without end', async (_what, items) => {
    answers = () => `{"metadata":{"resourceVersion":"1","continue":"more"},"items":${items}}`;
    const { kube } = await memberOf();
    const offload = { run: () => Promise.reject(new Error('nothing is large')) };
    const work = { now: () => 0, signal, secrets: new SecretTexts(), offload, tenant: 'team-b' };
    const origins = { origin: { name: 'a', namespace: 'team-b' }, ...work };
    const storage = new ReleaseStorage({ kube, namespace: 'team-b', releaseName: 'a', ...origins });
    const used = await heapOf(async () => {
      await expect(storage.revisions()).rejects.toMatchObject(TOO_LONG);
    });
    expect(used).toBeLessThan(250 * MEBIBYTE);
    expect(requests.length).toBeLessThan(300);
  });

  test('may not stream events of a watch without end', async () => {
    const event = (name: string): string => {
      const fields = `{${Array.from({ length: 2_000 }, (_, index) => `"f${index}":""`).join(',')}}`;
      const metadata = `{"name":"${name}","namespace":"a","resourceVersion":"1","annotations":${fields}}`;
      return `{"type":"ADDED","object":{"metadata":${metadata}}}\n`;
    };
    answers = () => Array.from({ length: 3_000 }, (_, index) => event(`s${index}`)).join('');
    const { kube } = await memberOf();
    let seen = 0;
    const follow = async (): Promise<void> => {
      const query = { resourceVersion: '', sendInitialEvents: true, timeoutSeconds: 60, metadataOnly: true, signal };
      for await (const event of kube.watch(secretResource, query)) seen += event.type === 'ADDED' ? 1 : 0;
    };
    await expect(follow()).rejects.toMatchObject(TOO_LONG);
    expect(seen).toBeLessThan(1_500);
  });

  test.each([
    ['empty objects', `[${'{},'.repeat(5_000_000)}{}]`],
    ['empty lists', `[${'[],'.repeat(1_000_000)}[]]`],
    ['numbers of 19 digits', `[${'1234567890123456789,'.repeat(180_000)}1]`],
    ['one text', `["${'a'.repeat(5 * MEBIBYTE)}"]`],
  ])('may not occupy the process with one object of %s', async (_what, list) => {
    answers = () => `{"a":${list}}`;
    const { kube } = await memberOf();
    await expect(kube.get(secretResource, { namespace: 'a', name: 'b' })).rejects.toMatchObject(TOO_LONG);
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(MOST_CPU_MS);
  });
});

test.each([
  ['a text', `"${'a'.repeat(15 * MEBIBYTE)}"`],
  ['a number', '1'],
  ['nothing', 'null'],
])('an item of a list that is %s is refused', async (_what, item) => {
  answers = () => `{"items":[${item}]}`;
  const { kube } = await memberOf();
  const before = heldBytes();
  await expect(listAll(kube, secretResource)).rejects.toThrow('answered with no object');
  expect(heldBytes() - before).toBeLessThan(100 * MEBIBYTE);
});

test('what a server says of itself is not kept for each of its kubeconfigs', async () => {
  const versions = Array.from({ length: 1_900 }, (_, index) => ({
    groupVersion: `${'\u{4e00}'.repeat(300)}/v${index}`,
  }));
  const named = JSON.stringify({ groups: [{ versions: [...versions, { groupVersion: 'g.example.com/v2' }] }] });
  answers = (url) => {
    if (url === '/version') return JSON.stringify({ gitVersion: 'v'.repeat(MEBIBYTE) });
    if (url === '/apis') return named;
    return url.endsWith('/v2') ? '{"resources":[{"name":"as","kind":"A","namespaced":true}]}' : '{"resources":[]}';
  };
  const before = heldBytes();
  for (let index = 0; index < 50; index += 1) {
    const member = await members.get({ secretRef: { name: `kc-${index}` } }, 'team-b');
    expect(await member.servedType('g.example.com/v1', 'A', { signal })).toMatchObject({ version: 'v2' });
  }
  expect(heldBytes() - before).toBeLessThan(60 * MEBIBYTE);
});

test('clients that were not used for longest are dropped, and still work for who has them', async () => {
  await members.close();
  members = createMembers({ host, allowInsecure: true, mostClients: 2 });
  const get = (name: string): Promise<Member> => members.get({ secretRef: { name } }, 'team-b');
  answers = () => '{"metadata":{"name":"b"}}';
  const [first, second] = [await get('a'), await get('b')];
  expect(await get('a')).toBe(first);
  await get('c');
  expect(await get('a')).toBe(first);
  expect(await get('b')).not.toBe(second);
  expect(await second.kube.get(secretResource, { namespace: 'a', name: 'b' })).toEqual({ metadata: { name: 'b' } });
});

test('the clients of one namespace are not dropped for those of another one with more', async () => {
  await members.close();
  members = createMembers({ host, allowInsecure: true, mostClients: 5 });
  const first = await members.get({ secretRef: { name: 'a' } }, 'team-b');
  for (let index = 0; index < 10; index += 1) await members.get({ secretRef: { name: `kc-${index}` } }, 'team-c');
  expect(await members.get({ secretRef: { name: 'a' } }, 'team-b')).toBe(first);
});

describe('the clusters of one namespace', () => {
  const kubeOf = async (namespace: string, name: string): Promise<Kube> =>
    (await members.get({ secretRef: { name } }, namespace)).kube;
  const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `kc-${index}`);
  const refused = (outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] =>
    outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const TOO_MUCH = {
    name: 'TransientError',
    reason: 'AnswerTooLong',
    message: expect.stringMatching(/more than can be held together .* namespace team-b; it is read again in a minute/),
  };

  test('may not fill the process with their lists together, and those of others are read', async () => {
    const page = (next: string): string =>
      `{"metadata":{"continue":"${next}"},"items":[{"metadata":{"name":"a","x":[${'{},'.repeat(190_000)}{}]}}]}`;
    const pageOf = (url: string): number => Number(/continue=p(\d)/.exec(url)?.[1] ?? 1);
    answers = (url) => (url.includes('/namespaces/team-a/') ? '{"items":[]}' : page(`p${pageOf(url) + 1}`));
    let last = 0;
    // The last page of each list comes when the others are there.
    hangs = (url, response) => {
      if (pageOf(url) < 5) return false;
      last += 1;
      setTimeout(() => send(response, page('')), 1_000);
      return true;
    };
    const all = named(8).map(async (name) => listAll(await kubeOf('team-b', name), secretResource));
    const before = heldBytes();
    const outcomes = Promise.allSettled(all);
    const other = await kubeOf('team-a', 'kc');
    await eventually(() => expect(last).toBeGreaterThan(0), { intervalMs: 10 });
    expect((await listAll(other, secretResource, { namespace: 'team-a' })).items).toEqual([]);
    expect(heldBytes() - before).toBeLessThan(350 * MEBIBYTE);
    const errors = refused(await outcomes);
    for (const error of errors) expect(error).toMatchObject(TOO_MUCH);
    expect(errors.length).toBeGreaterThan(3);
    expect(errors.length).toBeLessThan(8);
  });

  test('may not fill the process with answers that never end', async () => {
    const block = Buffer.alloc(3 * MEBIBYTE, ' ');
    hangs = (url, response) => {
      if (url.includes('/namespaces/team-a/')) return false;
      return response.writeHead(200, { 'content-type': 'application/json' }).write(block) || true;
    };
    answers = () => '{"metadata":{"name":"b"}}';
    const abort = new AbortController();
    const ask = async (name: string): Promise<unknown> =>
      (await kubeOf('team-b', name)).get(secretResource, { namespace: 'a', name: 'b' }, { signal: abort.signal });
    const errors: unknown[] = [];
    const all = named(100).map((name) => ask(name).catch((error: unknown) => errors.push(error)));
    await eventually(() => expect(errors.length).toBeGreaterThan(10));
    const own = { namespace: 'team-a', name: 'b' };
    expect(await (await kubeOf('team-a', 'kc')).get(secretResource, own)).toEqual({ metadata: { name: 'b' } });
    expect(errors.length).toBeLessThan(40);
    for (const error of errors) expect(error).toMatchObject(TOO_MUCH);
    abort.abort();
    await Promise.all(all);
  });
});

test('a list of tens of thousands of the own cluster is read', async () => {
  let left = 60;
  const page = Array.from({ length: 1_000 }, (_, index) => ({ metadata: { name: `s${index}` } }));
  const list = (): Promise<unknown> => {
    left -= 1;
    const more = left > 0 ? { continueToken: 'more' } : {};
    return Promise.resolve({ items: page, resourceVersion: '1', parsedBytes: 2 * MEBIBYTE, ...more });
  };
  const { items } = await listAll({ list } as unknown as Kube, secretResource);
  expect(items.length).toBe(60_000);
});

test('what a server serves is asked once for all its users, of which few are remembered', async () => {
  answers = groups(10, '{"resources":[{"kind":"A","name":"as","namespaced":true,"verbs":["get"]}]}');
  for (let index = 0; index < 300; index += 1) {
    const member = await memberOf(`sa-${index}`);
    expect(member.key).toContain(`as system:serviceaccount:team-b:sa-${index}`);
    expect((await member.capabilities()).apiVersions).toHaveLength(22);
    expect(await member.resourceType('g1.example.com/v1', 'A')).toMatchObject({ plural: 'as', namespaced: true });
  }
  expect(requests.length).toBe(14);
  expect(new Set(users)).toEqual(new Set([undefined]));
  const first = await memberOf('sa-299');
  expect(await memberOf('sa-299')).toBe(first);
});
