import { expect } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { configMapResource, podResource, secretResource } from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { CHANGE_CAUSE_ANNOTATION, CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { startBrowser } from '#bench/with-dashboard.js';
import { READY_MS, setUp, type Setup } from '#bench/scenarios/setup.js';
import { kubectl } from '#bench/scenarios/shell.js';
import { installCrds } from '#cli/install/crds.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import { helmEnvironment, startHelmRepository } from '#sandbox/helm-repository.js';
import { startWorld, type Cluster, type World } from '#sandbox/world.js';
import { account, grant, startConsole, type Console } from '../apiserver/console/harness.js';
import { giveKubeconfig } from '../support/kubeconfig-secret.js';
import { startKubelet, type Kubelet } from '../support/kubelet.js';
import { eventually, kubeFor, makeNamespace } from '../support/world.js';
import { tellOthers } from './shop-fleet.js';
import { applicationsOf, CLUSTERS, NAMESPACE, templatesOf } from './shop-objects.js';

const CHART = path.resolve('test', 'fixtures', 'shop', 'web');
/** What a kubelet keeps of the container that fails. */
const LOG = [
  '08:41:06 INFO  checkout 1.5.0 starting on eu-2',
  '08:41:06 INFO  HOST=checkout.eu-2.shop.example',
  '08:41:06 INFO  DATABASE_SSL_MODE=disable',
  '08:41:07 INFO  connecting to database shop',
  '08:41:07 ERROR database: no pg_hba.conf entry for user "checkout", no encryption',
  '08:41:07 FATAL 1.5.0 needs an encrypted connection: set database.sslMode to require',
];
const [BACK_OFF, DIED] = ['CrashLoopBackOff', 'Error'];

/** A namespace of a real API server with Applications that a real controller has deployed, and somebody who sees them. */
export interface Shop {
  readonly console: Console;
  readonly token: string;
  readonly browser: Browser;
  /** Ends everything. */
  readonly close: () => Promise<void>;
}

interface Making {
  readonly world: World;
  readonly kube: Kube;
  /** Ends what was started, the last one first. */
  readonly ends: (() => Promise<unknown>)[];
}

async function publishCharts({ world, ends }: Making): Promise<string> {
  const root = path.join(world.dir, 'shop-charts');
  const env = helmEnvironment(world.dir);
  for (const version of ['1.4.1', '1.4.2', '1.5.0']) {
    await runCommand(world.tools.helm, ['package', '--destination', root, '--version', version, CHART], { env });
  }
  await runCommand(world.tools.helm, ['repo', 'index', root], { env });
  const server = await startHelmRepository(root);
  ends.push(() => server.close());
  return `${server.origin}/charts`;
}

/** What a platform team gives to the shop: its namespaces, its clusters, and where its charts and files are. */
async function furnish(making: Making): Promise<void> {
  const { world, kube } = making;
  await installCrds(kube, { takeOver: false });
  await makeNamespace(kube, NAMESPACE);
  const put = (type: ResourceType, object: object): Promise<KubeObject> =>
    kube.apply(type, object as KubeObject, { fieldManager: 'test', force: true });
  const url = await publishCharts(making);
  const source = (kind: string, name: string, spec: object) => ({
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind, metadata: { name, namespace: NAMESPACE }, spec },
  });
  await put(helmRepositoryResource, source('HelmRepository', 'shop-charts', { url, interval: '10m' }));
  const git = { url: world.gitUrl, ref: { branch: 'main' }, interval: '10m' };
  await put(gitRepositoryResource, source('GitRepository', 'shop-site', git));
  for (const [index, { name, labels }] of CLUSTERS.entries()) {
    const metadata = { name, namespace: NAMESPACE, labels: { [CLUSTER_LABEL]: 'true', ...labels } };
    const member = world.members[index];
    if (member !== undefined) await giveKubeconfig(kube, { name, namespace: NAMESPACE }, member.kubeconfig);
    await put(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
  }
}

async function untilReady(kube: Kube, { metadata: { name, generation } }: Application, status = 'True'): Promise<void> {
  await eventually(
    async () => {
      const live = await kube.get<Application>(applicationResource, { name, namespace: NAMESPACE });
      const ready = live?.status?.conditions?.find(({ type }) => type === 'Ready');
      const seen = { generation: live?.status?.observedGeneration, status: ready?.status, reason: ready?.reason };
      const reason = status === 'True' ? 'AllReady' : 'DestinationsFailed';
      expect({ ...seen, message: ready?.message }).toMatchObject({ generation, status, reason });
    },
    { timeoutMs: READY_MS },
  );
}

/** Writes one revision after the other, each once the one before is everywhere. */
async function deploy(kube: Kube, name: string, revisions: readonly object[], last = 'True'): Promise<void> {
  for (const [index, { cause, ...spec }] of (revisions as readonly { cause: string }[]).entries()) {
    const metadata = { name, namespace: NAMESPACE, annotations: { [CHANGE_CAUSE_ANNOTATION]: cause } };
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec };
    const made = await kube.apply<Application>(applicationResource, object, {
      ...{ fieldManager: 'jane', force: true },
    });
    await untilReady(kube, made, index === revisions.length - 1 ? last : 'True');
  }
}

/** Says of the pod that cannot start what a kubelet would. */
async function crash(cluster: Cluster): Promise<void> {
  const kube = await kubeFor(cluster);
  const pod = await eventually(
    async () => {
      const { items } = await kube.list<KubeObject>(podResource, { namespace: NAMESPACE });
      const found = items.find(({ metadata }) => metadata.annotations?.['sandbox.fairlead.dev/outcome'] === 'pending');
      if (found === undefined) throw new Error('the pod of 1.5.0 is not there yet');
      return found;
    },
    { timeoutMs: READY_MS },
  );
  const { name } = pod.metadata;
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: now });
  const message = `back-off 2m40s restarting failed container=web pod=${name}_${NAMESPACE}`;
  const container = {
    ...{ name: 'web', image: 'registry.example.com/shop/checkout:1.5.0', imageID: '', ready: false, started: false },
    ...{ restartCount: 5, state: { waiting: { reason: BACK_OFF, message } } },
    lastState: { terminated: { exitCode: 1, reason: DIED, startedAt: now, finishedAt: now } },
  };
  const unready = { ...condition('Ready', 'False'), reason: 'ContainersNotReady', message: 'not ready: [web]' };
  const conditions = [condition('PodScheduled', 'True'), condition('Initialized', 'True'), unready];
  const status = { phase: 'Running', startTime: now, conditions, containerStatuses: [container] };
  const body = { status };
  await kube.patch(podResource, { name, namespace: NAMESPACE }, { type: 'merge', body }, { subresource: 'status' });
  await kube.close();
}

/** By hand, on a cluster: more pods than are wanted, and another text. */
async function meddle(world: World, cluster: Cluster): Promise<void> {
  await kubectl(world, cluster, '-n', NAMESPACE, 'scale', 'deployment/checkout', '--replicas=6');
  const kube = await kubeFor(cluster);
  const body = { data: { cache: '{"enabled":false,"size":"64Mi"}' } };
  const target = { name: 'checkout', namespace: NAMESPACE };
  await kube.patch(configMapResource, target, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
  await kube.close();
}

/** Resolves once it is a revision: the next one of this name is another one. */
async function publish(kube: Kube, type: ResourceType, object: object): Promise<void> {
  const { metadata } = await kube.apply(type, object as KubeObject, { fieldManager: 'platform', force: true });
  await eventually(
    async () => {
      const live = await kube.get<KubeObject & { status?: { observedGeneration?: number; revision?: number } }>(
        type,
        metadata,
      );
      expect(live?.status).toMatchObject({ observedGeneration: metadata.generation, revision: expect.any(Number) });
    },
    { timeoutMs: READY_MS },
  );
}

async function deployAll({ world, kube, ends }: Making): Promise<void> {
  const setup: Setup = await setUp(world);
  const stop = setup.tearDown;
  try {
    for (const [type, object] of templatesOf()) await publish(kube, type, object);
    const { catalog, checkout } = applicationsOf();
    await deploy(kube, 'catalog', catalog);
    const failing = world.members[1]!;
    const kubelet: Kubelet = await startKubelet(world, failing, 'worker-1');
    ends.push(() => kubelet.close());
    await kubelet.print(...LOG);
    await kubelet.printBefore(...LOG);
    await Promise.all([deploy(kube, 'checkout', checkout, 'False'), crash(failing)]);
    await meddle(world, world.members[2]!);
  } finally {
    await stop();
  }
}

async function make(making: Making): Promise<Omit<Shop, 'close'>> {
  const { world, kube, ends } = making;
  await furnish(making);
  await deployAll(making);
  // Nobody fetches it any longer: the page shows no address of this machine.
  const spec = { url: 'https://charts.shop.example' };
  const charts = { name: 'shop-charts', namespace: NAMESPACE };
  await kube.patch(helmRepositoryResource, charts, { type: 'merge', body: { spec } });
  await tellOthers(kube);
  const { user, token } = await account(kube, NAMESPACE, 'jane');
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await grant(kube, 'jane', { namespace: NAMESPACE, user, rules });
  const reads = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }];
  await grant(kube, 'jane-reads', { user, rules: reads });
  const console = await startConsole(world, { kube, namespace: NAMESPACE });
  ends.push(() => console.stop());
  const browser = await startBrowser();
  ends.push(() => browser.close());
  await eventually(() => expect(console.applications.list()).toHaveLength(8));
  return { console, token, browser };
}

/** In a world of its own, so that clusters and namespaces have names that people give. */
export async function openShop(): Promise<Shop> {
  const world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-shop-')), members: 4 });
  const ends: (() => Promise<unknown>)[] = [() => world.stop()];
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const kube = await kubeFor(world.host);
    ends.push(() => kube.close());
    return { ...(await make({ world, kube, ends })), close };
  } catch (error: unknown) {
    await close();
    throw error;
  }
}
