import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import { namespaceResource, secretResource } from '#api/core.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { ABORT_ROLLOUT_ANNOTATION, CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { untilRunning } from '#bench/controller.js';
import { applySample, setUp, type Setup } from '#bench/scenarios/setup.js';
import { kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { withoutSecrets } from '#queries/views/without-secrets.js';
import type { Kube } from '#runtime/client/kube.js';
import { startDaemonWorld } from '#sandbox/daemon-world.js';
import { identify } from '#sandbox/process-id.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import type { Cluster, World } from '#sandbox/world.js';
import { fixture } from '../support/fixture.js';
import { giveKubeconfig, swapKubeconfig } from '../support/kubeconfig-secret.js';
import { applyManifest } from '../support/kubectl.js';
import { passesAtRest } from '../support/passes.js';
import { sandboxSamples } from '../support/samples.js';
import { auditEntries, auditPosition, eventually, kubeFor, type AuditEntry } from '../support/world.js';
import { FEATURE_NAMESPACE, FIRST, THEN, WAYS, featureApplication } from './feature-applications.js';

/** As a kubeconfig of a cluster that nobody answers for. */
const SILENT_SERVER = 'https://127.0.0.1:1';
/** No write for so long: everything that followed a change is over. */
const QUIET_MS = 45_000;
const SETTLE_MS = 1_200_000;
/** Objects that a controller may write on the host: its children, and their sources. */
const CHILDREN = [
  'helmreleases',
  'kustomizations',
  'helmcharts',
  'helmrepositories',
  'ocirepositories',
  'gitrepositories',
];
/** The recorded kinds, by their names for kubectl. */
const RECORDED = [
  ...['applications.gitops.kubesphere.io', 'helmreleases.helm.toolkit.fluxcd.io'],
  ...['kustomizations.kustomize.toolkit.fluxcd.io', 'helmtemplates.gitops.kubesphere.io'],
  ...['kustomizationtemplates.gitops.kubesphere.io', 'controllerrevisions.apps'],
  ...['helmrepositories.source.toolkit.fluxcd.io', 'gitrepositories.source.toolkit.fluxcd.io'],
  ...['helmcharts.source.toolkit.fluxcd.io', 'configmaps', 'secrets'],
];
const RECORD = 'test/fixtures/recorded-objects.jsonl';

interface Fleet extends Setup {
  readonly kube: Kube;
  readonly folder: string;
}

async function describeClusters(world: World, kube: Kube, folder: string): Promise<void> {
  const put = async (name: string, file: string, labels: object): Promise<void> => {
    await giveKubeconfig(kube, { name, namespace: PROJECT_NAMESPACE }, file);
    const body = { metadata: { labels: { [CLUSTER_LABEL]: 'true', ...labels } } };
    await kube.patch(secretResource, { name, namespace: PROJECT_NAMESPACE }, { type: 'merge', body });
  };
  for (const [index, { kubeconfig }] of world.members.entries()) {
    await put(`c${index + 1}`, kubeconfig, { env: 'prod', region: index < 1 ? 'eu' : 'us' });
  }
  const [first, second] = world.members as [Cluster, Cluster];
  await put('swapped', first.kubeconfig, {});
  await put('going', second.kubeconfig, {});
  const silent = path.join(folder, 'silent.kubeconfig');
  const text = await kubectl(world, first, 'config', 'view', '--raw', '--flatten');
  await writeFile(silent, text.replace(first.server, SILENT_SERVER));
  await put('silent', silent, {});
}

async function startFleet(): Promise<Fleet> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-features-'));
  const owner = await identify(process.pid);
  const dir = path.join(folder, 'world');
  const world = await startDaemonWorld({ dir, members: 5, ...(owner === undefined ? {} : { owner }) });
  const setup = await setUp(world);
  const kube = await kubeFor(world.host);
  for (const cluster of [world.host, ...world.members]) {
    await kubectl(world, cluster, 'create', 'namespace', FEATURE_NAMESPACE);
    await kubectl(world, cluster, 'create', 'namespace', 'moved');
  }
  await describeClusters(world, kube, folder);
  // A copy would keep the first controller, not the one that runs now.
  return Object.assign(Object.create(setup) as Setup, { kube, folder });
}

async function stopFleet({ stop, kube, world, folder }: Fleet): Promise<void> {
  await stop();
  await kube.close();
  await world.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Writes of children and sources, by anybody. */
async function childWrites(world: World, happens: () => Promise<unknown>): Promise<AuditEntry[]> {
  const since = await auditPosition(world.host);
  await happens();
  const entries = await auditEntries(world.host, since);
  const written = entries.filter(({ requestURI }) => !requestURI.includes('dryRun=All'));
  // The engines retry failures, and report them in the status.
  const specs = written.filter(({ objectRef }) => objectRef?.subresource !== 'status');
  return specs.filter(({ objectRef }) => CHILDREN.includes(objectRef?.resource ?? ''));
}

async function untilSettled({ world }: Fleet): Promise<void> {
  await eventually(
    async () => {
      const writes = await childWrites(world, () => delay(QUIET_MS));
      expect(writes.map(({ requestURI }) => requestURI)).toEqual([]);
    },
    { timeoutMs: SETTLE_MS, intervalMs: 1 },
  );
}

const applyAll = async (world: World, features: typeof FIRST): Promise<void> => {
  for (const way of WAYS) {
    for (const [name, feature] of Object.entries(features)) {
      await applyManifest(world, world.host, featureApplication(name, way, feature));
    }
  }
};

/** Aborts rollouts, as the status names their revisions. */
async function abortRollouts({ kube }: Fleet): Promise<void> {
  for (const way of WAYS) {
    const place = { name: `aborted-${way}`, namespace: PROJECT_NAMESPACE };
    await eventually(async () => {
      const { rollout } = (await kube.get<Application>(applicationResource, place))?.status ?? {};
      expect(rollout).toMatchObject({ revision: 2, id: expect.any(String) });
      const annotations = { [ABORT_ROLLOUT_ANNOTATION]: rollout?.id };
      await kube.patch(applicationResource, place, { type: 'merge', body: { metadata: { annotations } } });
    });
  }
}

/** Changes clusters after everything was deployed. */
async function changeClusters({ world, kube }: Fleet): Promise<void> {
  const third = world.members[2] as Cluster;
  await swapKubeconfig(kube, { name: 'swapped', namespace: PROJECT_NAMESPACE }, third.kubeconfig);
  const silent = await kubectlJson<{ data: object }>(world, world.host, '-n', PROJECT_NAMESPACE, 'secret/silent');
  const going = { name: 'going', namespace: PROJECT_NAMESPACE };
  await kube.patch(secretResource, going, { type: 'merge', body: { data: silent.data } });
  for (const way of WAYS) {
    const place = ['-n', PROJECT_NAMESPACE, 'delete', 'gapp', `deleted-waits-${way}`, '--wait=false'];
    await kubectl(world, world.host, ...place);
  }
}

/** Returns the objects as lines of JSON, without what Secrets hold, and without what caches leave out. */
async function record({ world }: Fleet): Promise<string> {
  const lines: string[] = [];
  for (const type of RECORDED) {
    const { items } = await kubectlJson<{ items: Unstructured[] }>(world, world.host, '-n', PROJECT_NAMESPACE, type);
    lines.push(...items.map((each) => JSON.stringify(withoutSecrets(omit(each, ['metadata.managedFields'])))));
  }
  return `${lines.join('\n')}\n`;
}

describe('a controller that starts on objects of every feature', () => {
  const fleet = fixture<Fleet>(startFleet, stopFleet);

  it('writes no child', async () => {
    const { world, kube } = fleet;
    expect(await kube.get<KubeObject>(namespaceResource, { name: PROJECT_NAMESPACE })).toBeDefined();
    for (const sample of sandboxSamples()) await applySample(world, sample);
    await applyAll(world, FIRST);
    await untilSettled(fleet);
    await applyAll(world, THEN);
    await abortRollouts(fleet);
    await changeClusters(fleet);
    await untilSettled(fleet);
    const atRest = await record(fleet);
    const writes = await childWrites(world, async () => {
      await fleet.restart('stop');
      await untilRunning(fleet.controller);
      for (const name of ['application', 'helmrelease', 'kustomization']) await passesAtRest(fleet.controller, name);
    });
    expect(writes.map(({ verb, requestURI }) => [verb, requestURI])).toEqual([]);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(RECORD, atRest);
  }, 3_600_000);
});
