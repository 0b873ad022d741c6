import { expect } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { configMapResource, eventResource, podResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { account, grant } from '../apiserver/console/harness.js';
import { SPEC } from '../apiserver/console/people.js';
import { giveKubeconfig } from '../support/kubeconfig-secret.js';
import { startKubelet, type Kubelet } from '../support/kubelet.js';
import { startTcpProxy, type TcpProxy } from '../support/proxy.js';
import { eventually, kubeFor, makeNamespace, useWorld } from '../support/world.js';
import { HTML } from './applications.js';
import { dismissVisitors, gatherVisitors, type Visitors } from './visit.js';

const deploymentResource: ResourceType = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};
const POD = { apiVersion: 'v1', kind: 'Pod' };
const RELEASE = {
  ...{ interval: '10m', targetNamespace: 'x', storageNamespace: 'x' },
  chart: { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } },
};

/** An Application whose pods fail on `eu`, while `us` hangs, and `ap` may be read by its owner only. */
export interface Deployed extends Visitors {
  readonly kubelet: Kubelet;
  readonly silent: TcpProxy;
  /** The member that `eu` and `ap` are. */
  readonly member: Kube;
}

async function withStatus(kube: Kube, type: ResourceType, object: KubeObject & { status: object }): Promise<void> {
  const { resourceVersion } = (await kube.create<KubeObject>(type, object)).metadata;
  const metadata = { ...object.metadata, resourceVersion };
  await kube.update<KubeObject>(type, { ...object, metadata } as KubeObject, { subresource: 'status' });
}

function release(namespace: string, cluster: string, ...objects: readonly string[]) {
  return {
    ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' },
    metadata: { name: `web-${cluster}`, namespace },
    spec: { ...RELEASE, kubeConfig: { secretRef: { name: cluster } } },
    status: { inventory: { entries: objects.map((id) => ({ id, v: 'v1' })) } },
  };
}

/** Pods with these containers, on this node, which crash. */
async function deploy(member: Kube, namespace: string, node: string): Promise<void> {
  const containers = ['app', 'sidecar'].map((name) => ({ name, image: `example.com/${name}` }));
  const metadata = { labels: { app: 'web' }, annotations: { 'sandbox.fairlead.dev/outcome': 'fail' } };
  const spec = {
    ...{ replicas: 1, selector: { matchLabels: { app: 'web' } } },
    template: { metadata, spec: { nodeName: node, containers } },
  };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec };
  await member.create<KubeObject>(deploymentResource, deployment);
  const involvedObject = { kind: 'Deployment', name: 'web', namespace };
  await member.create<KubeObject>(eventResource, {
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'web.1', namespace }, involvedObject },
    ...{ type: 'Warning', reason: 'Trouble', message: `what a stranger says: ${HTML}`, count: 3 },
    lastTimestamp: '2026-01-01T00:00:00Z',
  } as KubeObject);
}

/** A ConfigMap that owns so many pods; one of the last by name has a node, and fails there. */
async function deployMany(member: Kube, namespace: string, { node, pods }: { node: string; pods: number }) {
  const owner = await member.create<KubeObject>(configMapResource, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'many', namespace } },
  });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'many', uid: owner.metadata.uid ?? '' }];
  const create = (index: number): Promise<KubeObject> => {
    const fails = index === Math.floor(pods * 0.98);
    const annotations = fails ? { 'sandbox.fairlead.dev/outcome': 'fail' } : {};
    const metadata = { name: `many-${index}`, namespace, annotations, ownerReferences };
    const containers = [{ name: 'app', image: 'example.com/app' }];
    const spec = { containers, ...(fails ? { nodeName: node } : {}) };
    return member.create<KubeObject>(podResource, { ...POD, metadata, spec } as KubeObject);
  };
  const limit = pLimit(50);
  await Promise.all(Array.from({ length: pods }, (_, index) => limit(create, index)));
}

/** Its cluster is asked, and never answers. */
async function kubeconfigOf(world: World, namespace: string, { port }: TcpProxy): Promise<string> {
  const clusters = [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}` } }];
  const users = [{ name: 'u', user: { token: 'nobody' } }];
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
  const file = path.join(world.dir, `${namespace}-silent.kubeconfig`);
  const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'c', clusters, users, contexts };
  await writeFile(file, JSON.stringify(config));
  return file;
}

async function writeApplication(kube: Kube, namespace: string): Promise<void> {
  const rows = [
    { cluster: 'eu', state: 'Failed', message: `Deployment/${namespace}/web: not ready` },
    { cluster: 'us', state: 'Ready' },
    { cluster: 'ap', state: 'Ready' },
  ];
  const destinations = rows.map((row) => ({
    ...{ name: row.cluster, namespace, release: 'web', revision: '1.5.0', ...row },
    child: { kind: 'HelmRelease', name: `web-${row.cluster}` },
  }));
  const message = `Deployment/${namespace}/web: not ready`;
  const condition = { type: 'Ready', status: 'False', reason: 'DestinationsFailed', message };
  await withStatus(kube, applicationResource, {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name: 'web', namespace } },
    ...{ spec: SPEC },
    status: {
      conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      ...{ summary: { desired: 3, ready: '2/3' }, revision: '1.5.0', destinations },
    },
  });
}

/** The owner may read everything in the namespace; the viewer no kubeconfig; the guest all but that of `ap`. */
async function giveRights(kube: Kube, namespace: string) {
  const [owner, guest] = [await account(kube, namespace, 'owner'), await account(kube, namespace, 'guest')];
  const read = { apiGroups: ['*'], verbs: ['get', 'list'] };
  await grant(kube, 'owner', { namespace, user: owner.user, rules: [{ ...read, resources: ['*'] }] });
  const rules = [
    { ...read, resources: ['applications', 'helmreleases', 'events'] },
    { ...read, resources: ['secrets'], resourceNames: ['eu', 'us'] },
  ];
  await grant(kube, 'guest', { namespace, user: guest.user, rules });
  return { admin: owner.token, member: guest.token };
}

export async function gatherDeployed(prefix: string, pods = 1): Promise<Deployed> {
  const visitors = await gatherVisitors(prefix);
  try {
    return await deployFor(visitors, pods);
  } catch (error: unknown) {
    await dismissVisitors(visitors);
    throw error;
  }
}

async function deployFor(visitors: Visitors, pods: number): Promise<Deployed> {
  const world = await useWorld();
  const { kube, namespace } = visitors;
  const [eu] = world.members;
  if (eu === undefined) throw new Error('a world has members');
  const silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(eu.server).port) });
  silent.partition();
  await giveKubeconfig(kube, { name: 'eu', namespace }, eu.kubeconfig);
  await giveKubeconfig(kube, { name: 'ap', namespace }, eu.kubeconfig);
  await giveKubeconfig(kube, { name: 'us', namespace }, await kubeconfigOf(world, namespace, silent));
  const member = await kubeFor(eu);
  await makeNamespace(member, namespace);
  const kubelet = await startKubelet(world, eu, `${namespace}-node`);
  await deploy(member, namespace, kubelet.node);
  await deployMany(member, namespace, { node: kubelet.node, pods });
  const objects = [`${namespace}_web_apps_Deployment`, `${namespace}_gone__Service`];
  const ofAp = [`${namespace}_kube-root-ca.crt__ConfigMap`, `${namespace}_many__ConfigMap`];
  await withStatus(kube, helmReleaseResource, release(namespace, 'eu', ...objects));
  await withStatus(kube, helmReleaseResource, release(namespace, 'us', ...objects));
  await withStatus(kube, helmReleaseResource, release(namespace, 'ap', ...ofAp));
  await writeApplication(kube, namespace);
  const rights = await giveRights(kube, namespace);
  await eventually(() => expect(visitors.plain.applications.list()).toHaveLength(1));
  return { ...visitors, tokens: { ...visitors.tokens, ...rights }, kubelet, silent, member };
}

export async function dismissDeployed(deployed: Deployed): Promise<void> {
  const { kubelet, silent, member } = deployed;
  await kubelet.close();
  await Promise.all([silent.close(), member.close()]);
  await dismissVisitors(deployed);
}
