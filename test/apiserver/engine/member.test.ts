import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { secretResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { applyObjects } from '#engine/apply/apply.js';
import { deleteObjects } from '#engine/apply/delete.js';
import { targetOf } from '#engine/member/model/inventory.js';
import { waitForHealthy } from '#engine/health/wait.js';
import type { Member, Members } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import type { Kube } from '#runtime/client/kube.js';
import { listen } from '#runtime/process/listen.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import { freePort } from '#sandbox/world/ports.js';
import type { World } from '#sandbox/world.js';
import { startFaultProxy, statusAnswer, type FaultProxy, type SeenRequest } from '../../support/proxy.js';
import { auditEntries, auditPosition, eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

interface Kubeconfig {
  clusters: { cluster: Record<string, string> }[];
  users: { user: Record<string, string> }[];
}

const signal = new AbortController().signal;
let world: World;
let host: Kube;
let members: Members;
let namespace: string;

beforeAll(async () => {
  world = await useWorld();
  host = await kubeFor(world.host);
  namespace = await freshNamespace(host, 'member');
  members = createMembers({ host });
});

afterAll(async () => {
  await members.close();
  await host.close();
});

/** Stores the kubeconfig of the first member with some of its fields replaced. */
async function putKubeconfig(name: string, cluster: object = {}, user: object = {}): Promise<void> {
  const config = parseYaml(await readFile(world.members[0]!.kubeconfig, 'utf8')) as Kubeconfig;
  Object.assign(config.clusters[0]!.cluster, cluster);
  Object.assign(config.users[0]!.user, user);
  const data = { value: Buffer.from(printYaml(config)).toString('base64') };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data };
  await host.apply(secretResource, secret, { fieldManager: 'test', force: true });
}

function get(name: string): Promise<Member> {
  return members.get({ secretRef: { name } }, namespace);
}

function apply(member: Member, objects: Unstructured[]) {
  return applyObjects({ member, objects, fieldManager: 'helm-controller', defaultNamespace: namespace, signal });
}

function maps(count: number): Unstructured[] {
  return Array.from({ length: count }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `map-${i}` },
  }));
}

function crd(group: string, kind: string): Unstructured {
  const [plural, singular] = [`${kind.toLowerCase()}s`, kind.toLowerCase()];
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const names = { kind, plural, singular, listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Cluster', names, versions },
  };
}

test('a member that is away ends a batch with one failure, long before its objects are through', async () => {
  const port = await freePort();
  await putKubeconfig('away', { server: `https://127.0.0.1:${port}` });
  const member = await get('away');
  const startedAt = performance.now();
  const { changes, failures } = await apply(member, maps(200));
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(changes).toEqual([]);
  expect(failures).toMatchObject([{ error: { reason: 'Unreachable' } }]);
  expect(failures[0]?.error.message).toContain(`https://127.0.0.1:${port}`);
});

test('a credential that is not accepted names its Secret; a new one takes effect with the next pass', async () => {
  await putKubeconfig('token', {}, { token: 'n0t-accepted' });
  const before = await get('token');
  const { changes, failures } = await apply(before, maps(20));
  expect(changes).toEqual([]);
  expect(failures).toMatchObject([{ error: { reason: 'Unauthorized', status: { code: 401 } } }]);
  expect(failures[0]?.error.message).toContain(
    `Unauthorized: the credential of Secret ${namespace}/token, key "value" is not accepted; renew it`,
  );
  await expect(before.capabilities()).rejects.toThrow(`Secret ${namespace}/token`);
  expect(failures[0]?.error.message).not.toContain('n0t-accepted');
  await putKubeconfig('token');
  const after = await get('token');
  expect(after).not.toBe(before);
  expect((await after.capabilities()).kubeVersion).toMatch(/^v1\./);
});

test('a certificate that the authority did not sign is reported as such', async () => {
  const other = parseYaml(await readFile(world.host.kubeconfig, 'utf8')) as Kubeconfig;
  const ca = other.clusters[0]!.cluster['certificate-authority-data'];
  await putKubeconfig('foreign', { 'certificate-authority-data': ca });
  const { failures } = await apply(await get('foreign'), maps(1));
  expect(failures).toMatchObject([{ error: { reason: 'Unreachable', message: expect.stringMatching(/certificate/) } }]);
});

test('a kind that comes after its group was looked up is found', async () => {
  await putKubeconfig('kinds');
  const member = await get('kinds');
  const group = `${namespace}.test`;
  const objectOf = (kind: string) => ({ apiVersion: `${group}/v1`, kind, metadata: { name: 'a' } });
  const crds = [crd(group, 'First'), crd(group, 'Second')] as const;
  expect((await apply(member, [crds[0], objectOf('First')])).failures).toEqual([]);
  await expect(member.resourceType(`${group}/v1`, 'Second')).rejects.toMatchObject({ reason: 'NoKindMatch' });
  expect((await apply(member, [crds[1]])).failures).toEqual([]);
  await eventually(() => member.resourceType(`${group}/v1`, 'Second'));
  expect((await apply(member, [objectOf('Second')])).changes).toMatchObject([{ action: 'created' }]);
  expect((await member.capabilities()).apiVersions).toContain(`${group}/v1/Second`);
  expect((await deleteObjects({ member, targets: crds.map(targetOf), signal })).failures).toEqual([]);
});

test('who asks by another credential learns of a kind that was just applied', async () => {
  await Promise.all([putKubeconfig('maker'), putKubeconfig('reader')]);
  const [maker, reader] = [await get('maker'), await get('reader')];
  const group = `late.${namespace}.test`;
  const definition = crd(group, 'Late');
  expect((await reader.capabilities()).apiVersions).not.toContain(`${group}/v1`);
  expect((await apply(maker, [definition])).failures).toEqual([]);
  await eventually(async () => expect((await reader.capabilities()).apiVersions).toContain(`${group}/v1/Late`), {
    timeoutMs: 25_000,
  });
  await deleteObjects({ member: maker, targets: [targetOf(definition)], signal });
});

test('a proxy that the kubeconfig names is used, with its password', async () => {
  const seen: string[] = [];
  const server = createServer().on('connect', (request, client, head) => {
    seen.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const [, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.on('error', () => client.destroy()).write(head);
    client.on('error', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  const proxy = await listen(server);
  try {
    await putKubeconfig('proxied', { 'proxy-url': `http://me:pass@127.0.0.1:${proxy.address.port}` });
    const own = createMembers({ host });
    const member = await own.get({ secretRef: { name: 'proxied' } }, namespace);
    expect((await member.capabilities()).kubeVersion).toMatch(/^v1\./);
    const since = await auditPosition(world.members[0]!);
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    expect((await apply(member, [space, ...maps(3)])).failures).toEqual([]);
    expect(await auditEntries(world.members[0]!, since)).not.toEqual([]);
    await own.close();
  } finally {
    // A tunnel may outlive it.
    void proxy.close();
  }
  const target = new URL(world.members[0]!.server).host;
  expect(new Set(seen)).toEqual(new Set([`${target} Basic ${Buffer.from('me:pass').toString('base64')}`]));
});

test('a proxy that is away is named by what it stands before, without its password', async () => {
  const port = await freePort();
  await putKubeconfig('no-proxy', { 'proxy-url': `http://me:pa55word@127.0.0.1:${port}` });
  const { failures } = await apply(await get('no-proxy'), maps(1));
  expect(failures).toMatchObject([{ error: { reason: 'Unreachable' } }]);
  expect(failures[0]?.error.message).toContain(world.members[0]!.server);
  expect(failures[0]?.error.message).not.toContain('pa55word');
});

describe('behind a proxy that answers in the place of the server', () => {
  let proxy: FaultProxy;
  let own: Members;
  let member: Member;

  beforeAll(async () => {
    proxy = await startFaultProxy(world.members[0]!);
    own = createMembers({ host, allowInsecure: true });
    await putKubeconfig('troubled', { server: proxy.server, 'certificate-authority-data': '' });
    member = await own.get({ secretRef: { name: 'troubled' } }, namespace);
  });

  afterAll(async () => {
    await own.close();
    await proxy.close();
  });

  function isWritten(name: string): boolean {
    return proxy.http.seen.some(({ method, path }) => method === 'PATCH' && path.includes(`/${name}?`));
  }

  /** Refuses the next looks at the object of this name, once it is written. */
  function refuse(name: string, how: { times: number; code: number; reason: string }): void {
    const { times, code, reason } = how;
    const match = ({ method, path }: SeenRequest): boolean =>
      method === 'GET' && path.endsWith(`/${name}`) && isWritten(name);
    proxy.http.inject({ match, times, answer: statusAnswer(code, { reason }) });
  }

  test('a wait outlasts a member that has trouble for a while, but not one that forbids the look', async () => {
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    const objects = maps(1);
    expect((await apply(member, [space, ...objects])).failures).toEqual([]);
    const wait = { member, objects, defaultNamespace: namespace, timeoutMs: 20_000, signal, pollMs: 20 };
    refuse('map-0', { times: 2, code: 500, reason: 'InternalError' });
    expect(await waitForHealthy(wait)).toBeUndefined();
    refuse('map-0', { times: 1, code: 403, reason: 'Forbidden' });
    await expect(waitForHealthy(wait)).rejects.toMatchObject({ status: { code: 403 } });
  });

  test('a CRD that may not be read fails, and the other objects of the batch are applied', async () => {
    const group = `hidden.${namespace}.test`;
    const definition = crd(group, 'Hidden');
    const hidden = { apiVersion: `${group}/v1`, kind: 'Hidden', metadata: { name: 'a' } };
    refuse(definition.metadata.name, { times: 1, code: 403, reason: 'Forbidden' });
    const { failures, changes } = await apply(member, [definition, hidden]);
    expect(failures).toMatchObject([{ subject: 'CustomResourceDefinitions', error: { status: { code: 403 } } }]);
    expect(changes.map(({ subject }) => subject)).toContain('Hidden/a');
    expect((await deleteObjects({ member, targets: [targetOf(definition)], signal })).failures).toEqual([]);
  });
});
