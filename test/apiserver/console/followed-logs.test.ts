import { afterEach, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { podResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Cluster, World } from '#sandbox/world.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { startKubelet, type Kubelet } from '../../support/kubelet.js';
import { startTcpProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, kubeFor, makeNamespace, useWorld } from '../../support/world.js';
import { account, grant, startConsole, type Console } from './harness.js';
import { SPEC } from './people.js';

const RELEASE = {
  ...{ interval: '10m', targetNamespace: 'x', storageNamespace: 'x' },
  chart: { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } },
};
const binding: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings' },
  namespaced: true,
};
const serviceAccount: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
};
const READ = { apiGroups: ['*'], verbs: ['get', 'list'] };
/** Longer than an accepted token, and a right, count that are taken away. */
const LATER = { timeoutMs: 40_000 };

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly server: Console;
  /** Of the host, and of the member, which is reached through the proxy. */
  readonly kubelets: Record<'host' | 'eu', Kubelet>;
  readonly eu: TcpProxy;
  readonly stop: () => Promise<void>;
}

async function withStatus(kube: Kube, type: ResourceType, object: KubeObject & { status: object }): Promise<void> {
  const { resourceVersion } = (await kube.create<KubeObject>(type, object)).metadata;
  const metadata = { ...object.metadata, resourceVersion };
  await kube.update<KubeObject>(type, { ...object, metadata } as KubeObject, { subresource: 'status' });
}

/** A pod that belongs to a release itself. */
async function runPod(kube: Kube, namespace: string, { node }: Kubelet): Promise<void> {
  const spec = { nodeName: node, containers: [{ name: 'app', image: 'example.com/app' }] };
  await kube.create<KubeObject>(podResource, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace }, spec },
  });
}

async function writeApplication(kube: Kube, namespace: string): Promise<void> {
  for (const cluster of ['host', 'eu']) {
    const kubeConfig = cluster === 'host' ? {} : { kubeConfig: { secretRef: { name: cluster } } };
    await withStatus(kube, helmReleaseResource, {
      ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' },
      ...{ metadata: { name: `web-${cluster}`, namespace }, spec: { ...RELEASE, ...kubeConfig } },
      status: { inventory: { entries: [{ id: `${namespace}_web__Pod`, v: 'v1' }] } },
    });
  }
  const destinations = ['host', 'eu'].map((cluster) => ({
    ...{ name: cluster, cluster, namespace, release: 'web', state: 'Ready' },
    child: { kind: 'HelmRelease', name: `web-${cluster}` },
  }));
  await withStatus(kube, applicationResource, {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name: 'web', namespace } },
    ...{ spec: SPEC, status: { destinations } },
  });
}

/** The cluster behind the proxy, which stands for its server. */
async function reachThrough(world: World, { kubeconfig, server }: Cluster, namespace: string) {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server).port) });
  const file = path.join(world.dir, `${namespace}-eu.kubeconfig`);
  const text = await readFile(kubeconfig, 'utf8');
  await writeFile(file, text.replace(server, `https://127.0.0.1:${proxy.port}`));
  return { proxy, file };
}

async function gather(): Promise<Setting> {
  const world = await useWorld();
  const { kube, namespace } = await prepareCluster(world.host, 'followed');
  const [member] = world.members;
  if (member === undefined) throw new Error('a world has members');
  const onMember = await kubeFor(member);
  await makeNamespace(onMember, namespace);
  const { proxy, file } = await reachThrough(world, member, namespace);
  await giveKubeconfig(kube, { name: 'eu', namespace }, file);
  const host = await startKubelet(world, world.host, `${namespace}-host`);
  const eu = await startKubelet(world, member, `${namespace}-eu`);
  await runPod(kube, namespace, host);
  await runPod(onMember, namespace, eu).finally(() => onMember.close());
  await writeApplication(kube, namespace);
  const server = await startConsole(world, { kube, namespace, more: { recheckMs: 500 } });
  const stop = async (): Promise<void> => {
    await server.stop();
    await Promise.all([host.close(), eu.close(), proxy.close()]);
    await kube.close();
  };
  return { kube, namespace, server, kubelets: { host, eu }, eu: proxy, stop };
}

const setting = fixture<Setting>(gather, ({ stop }) => stop());

/** Somebody who may read everything in the namespace, logs by a right of its own. */
async function reader(name: string): Promise<string> {
  const { kube, namespace } = setting;
  const { user, token } = await account(kube, namespace, name);
  const resources = ['applications', 'helmreleases', 'secrets', 'pods', 'replicasets', 'jobs'];
  await grant(kube, name, { namespace, user, rules: [{ ...READ, resources }] });
  await grant(kube, `${name}-logs`, { namespace, user, rules: [{ ...READ, resources: ['pods/log'] }] });
  return token;
}

interface Followed {
  code: number;
  text: string;
  isOver: boolean;
  readonly end: () => void;
}

const open: Followed[] = [];

function follow(token: string, cluster: string): Followed {
  const url = `/api/v1/namespaces/${setting.namespace}/applications/web/logs?cluster=${cluster}&follow=true`;
  const headers = { authorization: `Bearer ${token}` };
  const asked = request({ host: '127.0.0.1', port: setting.server.port, path: url, headers, agent: false });
  const followed: Followed = { code: 0, text: '', isOver: false, end: () => asked.destroy() };
  asked.on('response', (response) => {
    followed.code = response.statusCode ?? 0;
    response.on('data', (chunk: Buffer) => (followed.text += chunk.toString()));
    response.on('error', () => undefined);
    response.on('close', () => (followed.isOver = true));
  });
  asked.on('error', () => undefined).end();
  open.push(followed);
  return followed;
}

afterEach(() => {
  for (const { end } of open.splice(0)) end();
});

describe('a log that is followed', () => {
  const begin = async (names: readonly string[], cluster: 'host' | 'eu') => {
    await setting.kubelets[cluster].print('one');
    const tokens = await Promise.all(names.map(reader));
    const all = tokens.map((token) => follow(token, cluster));
    await eventually(() => expect(all.map(({ text }) => text)).toEqual(names.map(() => 'one\n')));
    return { all, tokens };
  };

  it('ends once the token of its reader is no longer valid, and goes on for others', async () => {
    const { kube, namespace, kubelets } = setting;
    const { all } = await begin(['leaver', 'stayer'], 'host');
    await kube.delete(serviceAccount, { namespace, name: 'leaver' });
    await eventually(() => expect(all[0]?.isOver).toBe(true), LATER);
    await kubelets.host.printMore('two');
    await eventually(() => expect(all[1]).toMatchObject({ text: 'one\ntwo\n', isOver: false }));
    expect(all[0]?.text).toBe('one\n');
  });

  it.each([
    ['the log of the pod', 'former-logs', 'host'],
    ['the kubeconfig of its cluster', 'former', 'eu'],
  ] as const)('ends once its reader may no longer read %s', async (_, right, cluster) => {
    const { kube, namespace, kubelets } = setting;
    const { all } = await begin(['former', 'present'], cluster);
    await kube.delete(binding, { namespace, name: right });
    await eventually(() => expect(all[0]?.isOver).toBe(true), LATER);
    await kubelets[cluster].printMore('two');
    await eventually(() => expect(all[1]).toMatchObject({ text: 'one\ntwo\n', isOver: false }));
    expect(all[0]?.text).toBe('one\n');
  });

  it('is refused meanwhile to who waits for its first line', async () => {
    const { kube, namespace, kubelets } = setting;
    await kubelets.host.print();
    const silent = follow(await reader('waiting'), 'host');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await kube.delete(serviceAccount, { namespace, name: 'waiting' });
    await eventually(() => expect(silent.isOver).toBe(true), LATER);
    expect(silent).toMatchObject({ text: expect.not.stringContaining('one') });
  });

  it('ends when its cluster hangs, and can be followed again when it answers', async () => {
    const { eu, kubelets } = setting;
    const { all, tokens } = await begin(['faithful'], 'eu');
    eu.partition();
    await eventually(() => expect(all[0]?.isOver).toBe(true), LATER);
    const [token = ''] = tokens;
    const refused = follow(token, 'eu');
    await eventually(() => expect(refused.isOver).toBe(true), LATER);
    expect(refused).toMatchObject({ code: 404, text: expect.stringContaining('eu: no answer in time') });
    await eu.restore();
    const again = follow(token, 'eu');
    await eventually(() => expect(again.text).toBe('one\n'));
    await kubelets.eu.printMore('two');
    await eventually(() => expect(again.text).toBe('one\ntwo\n'));
  });
});
