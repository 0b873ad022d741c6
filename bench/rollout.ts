import { setTimeout as delay } from 'node:timers/promises';
import { type HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import { EXTERNAL_ENGINE, peakMiB, requestsBetween, requestsOf, withController } from './controller.js';
import { ratio } from './figures.js';
import { type Bench, forEach, forEachOf, withCrds } from './harness.js';
import { applicationOf, APPLY, createCharts, createMembers, createNamespaces, memberName } from './objects.js';

const NAMESPACE = 'rollout';
const CLUSTERS = 20;
const STAGES = 4;
const SIZES = { short: { apps: 20, bakeSeconds: 10 }, full: { apps: 200, bakeSeconds: 60 } };
const IDLE_MS = 30_000;
const LIMIT_MS = 1_800_000;
const LOOK_MS = 500;

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
  const metadata = { name: `app-${index}`, namespace: NAMESPACE };
  return applicationOf({ metadata, chart: { chart: 'lighthouse', version }, deploy, more: { rollout: { stages } } });
}

async function prepare(kube: Kube): Promise<void> {
  await createNamespaces(kube, NAMESPACE);
  await createCharts(kube, NAMESPACE);
  await createMembers(kube, NAMESPACE, CLUSTERS);
}

function isReported({ metadata, status }: HelmRelease): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Reports what Flux would on members where every release succeeds at once. */
async function succeed(kube: Kube): Promise<void> {
  const { items } = await listAll<HelmRelease>(kube, helmReleaseResource, { namespace: NAMESPACE });
  const open = items.filter((child) => !isReported(child));
  await forEachOf(open, async ({ metadata }) => {
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
  await forEach(apps, (index) => kube.apply(applicationResource, application(index, version, bakeSeconds), APPLY));
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
  await forEach(size.apps, (index) => kube.apply(applicationResource, application(index, '1.9.0', 3_600), APPLY));
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
  withCrds(async ({ world, kube }) => {
    await prepare(kube);
    const size = full ? SIZES.full : SIZES.short;
    return withController(world, EXTERNAL_ENGINE, async (controller) => {
      const installed = await rollOut(kube, controller, size, 1);
      const upgraded = await rollOut(kube, controller, size, 2);
      const writes = await writesWhileWaiting(kube, controller, size);
      const peak = await peakMiB(controller);
      return {
        ...{ ...size, clusters: CLUSTERS, stages: STAGES, installed, upgraded },
        ...{ writesWhileWaiting: writes, peakMiB: peak },
      };
    });
  });
