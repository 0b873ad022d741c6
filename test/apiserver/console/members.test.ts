import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { eventResource, podResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { DestinationTree, EventView, TreeView } from '#queries/answers/members.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { startFaultProxy, startTcpProxy, type FaultProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, kubeFor, makeNamespace, useWorld } from '../../support/world.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

const SPEC = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
const RELEASE = {
  ...{ interval: '10m', targetNamespace: 'x', storageNamespace: 'x' },
  chart: { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } },
};

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly console: Console;
  /** In front of the host: all that the console asks. */
  readonly host: FaultProxy;
  readonly silent: TcpProxy;
  /** May read everything in the namespace; everything but Secrets, pods and logs; nothing but Applications. */
  readonly tokens: Record<'owner' | 'guest' | 'reader', string>;
}

async function put(kube: Kube, object: KubeObject & { status?: unknown }, release = true): Promise<void> {
  const type = release ? helmReleaseResource : applicationResource;
  const made = await kube.create<KubeObject>(type, object);
  const { resourceVersion } = made.metadata;
  const metadata = { ...object.metadata, resourceVersion };
  await kube.update<KubeObject>(type, { ...object, metadata } as KubeObject, { subresource: 'status' });
}

function releaseOf(namespace: string, cluster: string, ...objects: string[]): KubeObject {
  const kubeConfig = cluster === 'host' ? {} : { kubeConfig: { secretRef: { name: cluster } } };
  const entries = objects.map((id) => ({ id, v: 'v1' }));
  return {
    ...{
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: `web-${cluster}`, namespace },
    },
    ...{ spec: { ...RELEASE, ...kubeConfig }, status: { inventory: { entries } } },
  };
}

/** An object with this name on two clusters; the server of the third one says nothing. */
async function deploy(setting: { kube: Kube; member: Kube; namespace: string }): Promise<void> {
  const { kube, member, namespace } = setting;
  for (const client of [kube, member]) {
    const spec = {
      containers: [
        { name: 'app', image: 'example.com/app' },
        { name: 'sidecar', image: 'example.com/s' },
      ],
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace }, spec };
    await client.create<KubeObject>(podResource, pod);
  }
  for (const cluster of ['eu', 'silent', 'host'])
    await put(kube, releaseOf(namespace, cluster, `${namespace}_web__Pod`));
  const destinations = ['eu', 'silent', 'host'].map((cluster) => ({
    ...{ name: cluster, cluster, namespace, release: 'web', state: 'Ready' },
    child: { kind: 'HelmRelease', name: `web-${cluster}` },
  }));
  const application = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', spec: SPEC };
  await put(kube, { ...application, metadata: { name: 'web', namespace }, status: { destinations } }, false);
  const involvedObject = { kind: 'Pod', name: 'web', namespace };
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'web.1', namespace }, involvedObject };
  await member.create<KubeObject>(eventResource, {
    ...event,
    type: 'Normal',
    reason: 'Said',
    message: 'x',
  } as KubeObject);
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'console-members');
    const [eu] = world.members;
    if (eu === undefined) throw new Error('a world has members');
    const silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(eu.server).port) });
    silent.partition();
    const clusters = [{ name: 'c', cluster: { server: `https://127.0.0.1:${silent.port}` } }];
    const users = [{ name: 'u', user: { token: 'nobody' } }];
    const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
    const file = path.join(world.dir, `${namespace}.kubeconfig`);
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'c', clusters, users, contexts };
    await writeFile(file, JSON.stringify(config));
    await giveKubeconfig(kube, { name: 'eu', namespace }, eu.kubeconfig);
    await giveKubeconfig(kube, { name: 'silent', namespace }, file);
    const member = await kubeFor(eu);
    await makeNamespace(member, namespace);
    await deploy({ kube, member, namespace }).finally(() => member.close());
    const applications = { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['get', 'list'] };
    const releases = { apiGroups: ['helm.toolkit.fluxcd.io'], resources: ['helmreleases'], verbs: ['get'] };
    const all = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
    const [owner, guest] = [await account(kube, namespace, 'owner'), await account(kube, namespace, 'guest')];
    const reader = await account(kube, namespace, 'reader');
    await grant(kube, 'owner', { namespace, user: owner.user, rules: [all] });
    await grant(kube, 'guest', { namespace, user: guest.user, rules: [applications, releases] });
    await grant(kube, 'reader', { namespace, user: reader.user, rules: [applications] });
    const host = await startFaultProxy(world.host);
    const console = await startConsole(world, { kube, namespace, server: host.server });
    const tokens = { owner: owner.token, guest: guest.token, reader: reader.token };
    return { kube, namespace, console, host, silent, tokens };
  },
  async ({ kube, console, host, silent }) => {
    await console.stop();
    await Promise.all([host.close(), silent.close(), kube.close()]);
  },
);

const pathOf = (rest: string): string => `/api/v1/namespaces/${setting.namespace}/applications/web/${rest}`;

function ask(who: keyof Setting['tokens'], rest: string): Promise<Answer> {
  return sendDescribed(setting.console.port, pathOf(rest), { token: setting.tokens[who] });
}

async function treeOf(who: keyof Setting['tokens'], query = ''): Promise<ReadonlyMap<string, DestinationTree>> {
  const { code, text } = await ask(who, `tree${query}`);
  expect(code).toBe(200);
  const { destinations } = JSON.parse(text) as TreeView;
  return new Map(destinations.map((each) => [each.cluster, each]));
}

describe('the tree', () => {
  it('has what runs on each cluster, whichever of them hangs', async () => {
    const begun = performance.now();
    const found = await treeOf('owner');
    expect(performance.now() - begun).toBeLessThan(20_000);
    for (const cluster of ['eu', 'host']) {
      expect(found.get(cluster)).toMatchObject({ problem: '', objects: [{ kind: 'Pod', name: 'web' }] });
    }
    expect(found.get('silent')).toMatchObject({ problem: 'no answer in time', objects: [] });
  });

  it('has nothing of a cluster whose kubeconfig the user may not read, nor of the host what he may not', async () => {
    const found = await treeOf('guest');
    expect(found.get('eu')?.problem).toMatch(/secrets "eu" is forbidden: User "system:serviceaccount:.*:guest"/);
    expect(found.get('eu')?.objects).toEqual([]);
    const [pod] = found.get('host')?.objects ?? [];
    expect(pod).toMatchObject({ state: 'Unknown', message: expect.stringContaining('pods "web" is forbidden') });
  });

  it('has no release that the user may not read', async () => {
    const secrets = (): number => setting.host.http.seen.filter((each) => each.path.includes('/secrets/')).length;
    const before = secrets();
    const found = await treeOf('reader');
    expect(found.get('host')).toMatchObject({ objects: [], problem: expect.stringContaining('is forbidden') });
    expect(secrets()).toBe(before);
  });

  it('is of one cluster if that is asked for, and of none that there is not', async () => {
    expect([...(await treeOf('owner', '?cluster=eu')).keys()]).toEqual(['eu']);
    const { code, text } = await ask('owner', 'tree?cluster=us');
    expect([code, text]).toEqual([400, expect.stringContaining('choose one of eu, silent, host')]);
    expect((await ask('owner', 'tree?clusters=eu')).code).toBe(400);
  });
});

describe('the events', () => {
  it('are those of each cluster that the user may read', async () => {
    const { events, problems } = JSON.parse((await ask('owner', 'events')).text) as {
      events: EventView[];
      problems: string[];
    };
    expect(events).toContainEqual(expect.objectContaining({ cluster: 'eu', object: 'Pod/web', reason: 'Said' }));
    expect(problems).toEqual(['silent: no answer in time']);
    expect((await ask('guest', 'events')).code).toBe(403);
  });
});

describe('the logs', () => {
  const LOG = /\/pods\/web\/log\?/;
  const answered = (code: number, body: string): (() => void) =>
    setting.host.http.inject({ match: ({ path: seen }) => LOG.test(seen), answer: { code, body } });

  it('are those of one container, as text', async () => {
    const restore = answered(200, '<script>\n'.repeat(3));
    const answer = await ask('owner', 'logs?cluster=host&tailLines=7');
    restore();
    expect(answer).toMatchObject({ code: 200, type: 'text/plain; charset=utf-8', text: '<script>\n'.repeat(3) });
    const seen = setting.host.http.seen.findLast(({ path: each }) => LOG.test(each))?.path;
    expect(seen).toMatch(/container=app&.*tailLines=7/);
  });

  it('are refused in time if their cluster says nothing of them', async () => {
    const restore = setting.host.http.inject({ match: ({ path: seen }) => LOG.test(seen), silent: true });
    const begun = performance.now();
    const answer = await ask('owner', 'logs?cluster=host');
    restore();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(answer).toMatchObject({
      code: 503,
      text: expect.stringContaining('not read: host web/app: no answer in time'),
    });
  });

  it('of a container that has a long one end', async () => {
    const restore = answered(200, 'x'.repeat(17 * 1024 * 1024));
    const answer = await ask('owner', 'logs?cluster=host&container=sidecar');
    restore();
    expect(answer.text).toHaveLength(16 * 1024 * 1024);
  });

  it.each<[string, [keyof Setting['tokens'], string], number, RegExp]>([
    ['several pods', ['owner', ''], 400, /2 containers are more than the 1 .* choose some of them with cluster or pod/],
    ['no such pod', ['owner', '?cluster=host&pod=x'], 400, /pod x: it has only web/],
    ['no such container', ['owner', '?cluster=host&container=x'], 400, /container x: there are only app, sidecar/],
    ['no kubelet', ['owner', '?cluster=eu'], 503, /not read: eu web\/app: /],
    ['no right to its kubeconfig', ['guest', '?cluster=eu'], 404, /not read: eu: .*secrets \\"eu\\" is forbidden/],
    ['no right to pods', ['guest', '?cluster=host'], 404, /it has no pods that can be read/],
  ])('are refused with %s', async (_, [who, query], code, message) => {
    const answer = await ask(who, `logs${query}`);
    expect(answer).toMatchObject({ code, text: expect.stringMatching(message) });
  });

  it('that are followed end with their reader, who may follow some', async () => {
    const restore = setting.host.http.inject({ match: ({ path: seen }) => LOG.test(seen), silent: true });
    const { namespace, console, tokens, host } = setting;
    const following = (): number => host.http.seen.filter(({ path: each }) => /log\?.*follow=true/.test(each)).length;
    const open = (): Socket => {
      const socket = connect(console.port, '127.0.0.1');
      const url = `/api/v1/namespaces/${namespace}/applications/web/logs?cluster=host&follow=true`;
      socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.owner}\r\n\r\n`);
      return socket;
    };
    const sockets = Array.from({ length: 5 }, open);
    await eventually(() => expect(following()).toBe(5));
    expect(await ask('owner', 'logs?cluster=host')).toMatchObject({
      code: 429,
      text: expect.stringContaining('5 logs'),
    });
    for (const socket of sockets) socket.destroy();
    restore();
    const again = answered(200, 'y');
    await eventually(async () => expect((await ask('owner', 'logs?cluster=host')).text).toBe('y'));
    again();
  });
});
