import { setTimeout as delay } from 'node:timers/promises';
import { namespaceResource, secretResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { installCrds } from '#cli/install/crds.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { startController, type ControllerProcess } from '#sandbox/controller-process.js';
import type { Bench } from './bench.js';
import { peakMiB, requestsBetween, requestsOf, untilRunning } from './controller-figures.js';
import { ratio } from './figures.js';
import { forEach } from './rounds.js';
import { withWorld } from './with-world.js';

const NAMESPACE = 'rollout';
const CLUSTERS = 20;
const STAGES = 4;
const WRITERS = 32;
const SIZES = { short: { apps: 20, bakeSeconds: 10 }, full: { apps: 200, bakeSeconds: 60 } };
const IDLE_MS = 30_000;
const LIMIT_MS = 1_800_000;
const LOOK_MS = 500;

function memberName(index: number): string {
  return `member-${index}`;
}

/** Four stages of five clusters, each of which bakes; the last one has no name of its own. */
function application(index: number, version: string, bakeSeconds: number): Application {
  const perStage = CLUSTERS / STAGES;
  const stages = Array.from({ length: STAGES - 1 }, (_, stage) => ({
    name: `stage-${stage}`,
    clusters: { names: Array.from({ length: perStage }, (_, each) => memberName(stage * perStage + each)) },
    bakeTime: `${bakeSeconds}s`,
  }));
  const deploy = Array.from({ length: CLUSTERS }, (_, cluster) => ({
    destination: { kubeConfig: { secretRef: { name: memberName(cluster) } }, targetNamespace: 'shop' },
  }));
  const chart = { chart: 'lighthouse', version };
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const spec = { rollout: { stages }, fluxApp: { spec: { source, config: { helmRelease: { chart, deploy } } } } };
  const metadata = { name: `app-${index}`, namespace: NAMESPACE };
  return { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec } as Application;
}

async function prepare(kube: Kube): Promise<void> {
  const metadata = { name: NAMESPACE };
  await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata });
  const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };
  const spec = { url: 'https://charts.example.org', interval: '10m' };
  await kube.create(helmRepositoryResource, { ...source, metadata: { name: 'charts', namespace: NAMESPACE }, spec });
  await forEach(CLUSTERS, WRITERS, (index) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: memberName(index), namespace: NAMESPACE } };
    return kube.create(secretResource, secret);
  });
}

function isReported({ metadata, status }: HelmRelease): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Reports what Flux would on members where every release succeeds at once. */
async function succeed(kube: Kube): Promise<void> {
  const { items } = await listAll<HelmRelease>(kube, helmReleaseResource, { namespace: NAMESPACE });
  const open = items.filter((child) => !isReported(child));
  await forEach(open.length, WRITERS, async (index) => {
    const { metadata } = open[index] as HelmRelease;
    const { generation = 1 } = metadata;
    const at = { lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: generation };
    const ready = { type: 'Ready', status: 'True', reason: 'UpgradeSucceeded', message: 'done', ...at };
    const body = { status: { observedGeneration: generation, conditions: [ready] } };
    await kube.patch(helmReleaseResource, metadata, { type: 'merge', body }, { subresource: 'status' });
  });
}

/** How many Applications have completed the rollout of a revision. */
async function completed(kube: Kube, revision: number): Promise<number> {
  const { items } = await listAll<Application>(kube, applicationResource, { namespace: NAMESPACE });
  return items.filter(({ status }) => status?.rollout?.revision === revision && status.rollout.phase === 'Complete')
    .length;
}

/** Seconds until all Applications have rolled a revision out; the members work until then. */
async function secondsUntil(kube: Kube, revision: number, apps: number): Promise<number> {
  const startedAt = performance.now();
  while ((await completed(kube, revision)) < apps) {
    if (performance.now() - startedAt > LIMIT_MS) throw new Error(`revision ${revision} is not rolled out`);
    await succeed(kube);
    await delay(LOOK_MS);
  }
  return (performance.now() - startedAt) / 1_000;
}

function writesIn(requests: Record<string, number>): number {
  const isWrite = (sort: string): boolean => !/^(get|list|watch) | Event | Lease /.test(sort);
  return Object.entries(requests).reduce((sum, [sort, count]) => sum + (isWrite(sort) ? count : 0), 0);
}

interface Size {
  readonly apps: number;
  readonly bakeSeconds: number;
}

async function rollOut(kube: Kube, controller: ControllerProcess, { apps, bakeSeconds }: Size, revision: number) {
  const before = await requestsOf(controller);
  const version = `1.${revision}.0`;
  await forEach(apps, WRITERS, (index) =>
    kube.apply(applicationResource, application(index, version, bakeSeconds), { fieldManager: 'bench', force: true }),
  );
  const seconds = await secondsUntil(kube, revision, apps);
  const { total, bySort } = requestsBetween(before, await requestsOf(controller));
  const bakes = bakeSeconds * (STAGES - 1);
  return {
    seconds: Math.round(seconds),
    secondsOfBaking: bakes,
    ratioToBaking: ratio(seconds, bakes),
    requestsPerChild: ratio(total, apps * CLUSTERS),
    requests: bySort,
  };
}

/** What is written while nothing happens, and every rollout waits for its first stage. */
async function writesWhileWaiting(kube: Kube, controller: ControllerProcess, size: Size): Promise<number> {
  await forEach(size.apps, WRITERS, (index) =>
    kube.apply(applicationResource, application(index, '1.9.0', 3_600), { fieldManager: 'bench', force: true }),
  );
  // Until the first stages are settled, and bake for an hour.
  const startedAt = performance.now();
  for (let waiting = 0; waiting < size.apps;) {
    if (performance.now() - startedAt > LIMIT_MS) throw new Error('the first stages do not settle');
    await succeed(kube);
    await delay(LOOK_MS);
    const { items } = await listAll<Application>(kube, applicationResource, { namespace: NAMESPACE });
    waiting = items.filter(({ status }) => status?.rollout?.phase === 'Baking').length;
  }
  await delay(IDLE_MS);
  const before = await requestsOf(controller);
  await delay(IDLE_MS);
  return writesIn(requestsBetween(before, await requestsOf(controller)).bySort);
}

/** Applications with 20 destinations in four stages: their first rollout, an upgrade, and one that waits. */
export const rolloutBench: Bench = ({ full }) =>
  withWorld({ members: 0 }, async (world) => {
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    await installCrds(kube, { takeOver: false });
    await prepare(kube);
    const size = full ? SIZES.full : SIZES.short;
    const { host, tools, dir } = world;
    const flags = ['--engine', 'external'];
    const controller = await startController({ kubeconfig: host.kubeconfig, helm: tools.helm, dir, flags });
    try {
      await untilRunning(controller);
      const installed = await rollOut(kube, controller, size, 1);
      const upgraded = await rollOut(kube, controller, size, 2);
      const writes = await writesWhileWaiting(kube, controller, size);
      const memory = { peakMiB: await peakMiB(controller) };
      return {
        ...size,
        clusters: CLUSTERS,
        stages: STAGES,
        installed,
        upgraded,
        writesWhileWaiting: writes,
        ...memory,
      };
    } finally {
      await controller.stop();
      await kube.close();
    }
  });
