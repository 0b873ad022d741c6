import { setTimeout as delay } from 'node:timers/promises';
import { secretResource } from '#api/core.js';
import { type HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import {
  cpuSecondsOf,
  EXTERNAL_ENGINE,
  passesOf,
  peakMiB,
  requestsBetween,
  requestsOf,
  withController,
} from './controller.js';
import { ratio } from './figures.js';
import { type Bench, forEach, forEachOf, secondsOf, withCrds } from './harness.js';
import { applicationOf, APPLY, bareCopy, createCharts, createNamespaces } from './objects.js';
import { eventually } from './scenarios/eventually.js';

const NAMESPACE = 'fleet';
const BARE_NAMESPACE = 'bare';
const SIZES = { short: { clusters: 100, apps: 10 }, full: { clusters: 1_000, apps: 50 } };
/** The bare client writes no more of them: it is a rate that is compared. */
const MOST_BARE = 5_000;
const SETTLE_LIMIT_MS = 3_600_000;
/** Without a pass for this long: longer than a change of labels waits before a release is removed. */
const QUIET_MS = 45_000;
/** The only label, besides that of the fleet, that a selector reads: that of the first Application. */
const LEAVES = 'example.org/leaves';

interface Fleet {
  readonly kube: Kube;
  readonly clusters: number;
  readonly apps: number;
}

function kubeconfigSecret(index: number): KubeObject {
  const labels = { [CLUSTER_LABEL]: 'true', fleet: 'bench', zone: `zone-${index % 10}` };
  const metadata = { name: `cluster-of-fleet-${index}`, namespace: NAMESPACE, labels };
  return { apiVersion: 'v1', kind: 'Secret', metadata };
}

function application(index: number): Application {
  const stays = [{ key: LEAVES, operator: 'DoesNotExist' }];
  const clusterSelector = { matchLabels: { fleet: 'bench' }, ...(index === 0 && { matchExpressions: stays }) };
  const entry = {
    destination: { clusterSelector, targetNamespace: 'shop' },
    values: { replicas: index },
    install: { remediation: { retries: 3 } },
  };
  const metadata = { name: `app-${index}`, namespace: NAMESPACE };
  return applicationOf({ metadata, chart: { chart: 'lighthouse', version: '1.4.0' }, deploy: [entry] });
}

/** Members that nobody calls: the controller that is measured only writes what Flux would roll out. */
async function prepare({ kube, clusters }: Fleet): Promise<void> {
  await createNamespaces(kube, NAMESPACE, BARE_NAMESPACE);
  await createCharts(kube, NAMESPACE);
  await forEach(clusters, (index) => kube.create(secretResource, kubeconfigSecret(index)));
}

function writesIn(requests: Record<string, number>): Record<string, number> {
  const isWrite = (sort: string): boolean => !/^(get|list|watch) | Event /.test(sort);
  return Object.fromEntries(Object.entries(requests).filter(([sort]) => isWrite(sort)));
}

async function untilQuiet(controller: ControllerProcess): Promise<void> {
  await eventually(
    async () => {
      const before = await passesOf(controller, 'application');
      await delay(QUIET_MS);
      if ((await passesOf(controller, 'application')) !== before) throw new Error('there still are passes');
    },
    { timeoutMs: SETTLE_LIMIT_MS, intervalMs: 1 },
  );
}

/** The passes and writes that a change costs, until the controller is at rest again. */
async function costOf(controller: ControllerProcess, change: () => Promise<unknown>): Promise<object> {
  const [passes, requests] = [await passesOf(controller, 'application'), await requestsOf(controller)];
  await change();
  await untilQuiet(controller);
  const { bySort } = requestsBetween(requests, await requestsOf(controller));
  return { passes: (await passesOf(controller, 'application')) - passes, writes: writesIn(bySort) };
}

async function untilWritten(controller: ControllerProcess, wanted: number): Promise<void> {
  await eventually(
    async () => {
      const written = (await requestsOf(controller)).get('apply HelmRelease 201') ?? 0;
      if (written < wanted) throw new Error(`${written} of ${wanted} children are written`);
    },
    { timeoutMs: SETTLE_LIMIT_MS, intervalMs: 1_000 },
  );
}

async function rollOut({ kube, clusters, apps }: Fleet, controller: ControllerProcess): Promise<object> {
  const before = await requestsOf(controller);
  const cpuBefore = await cpuSecondsOf(controller);
  const apply = (index: number): Promise<unknown> =>
    kube.apply(applicationResource, application(index), { fieldManager: 'bench' });
  const seconds = await secondsOf(async () => {
    await forEach(apps, apply);
    await untilWritten(controller, clusters * apps);
  });
  await untilQuiet(controller);
  const { total, bySort } = requestsBetween(before, await requestsOf(controller));
  return {
    seconds,
    childrenPerSecond: Math.round((clusters * apps) / seconds),
    requestsPerChild: ratio(total, clusters * apps),
    requests: bySort,
    cpuSeconds: (await cpuSecondsOf(controller)) - cpuBefore,
    peakMiB: await peakMiB(controller),
  };
}

/** Children per second when a client only writes them, where no controller sees them. */
async function bareRate({ kube, clusters, apps }: Fleet): Promise<number> {
  const count = Math.min(clusters * apps, MOST_BARE);
  const { items } = await kube.list<HelmRelease>(helmReleaseResource, { namespace: NAMESPACE, limit: count });
  const write = (item: HelmRelease): Promise<unknown> =>
    kube.apply(helmReleaseResource, bareCopy(item, BARE_NAMESPACE), APPLY);
  return Math.round(items.length / (await secondsOf(() => forEachOf(items, write))));
}

async function changesOf({ kube, apps }: Fleet, controller: ControllerProcess): Promise<object> {
  const label = (index: number, name: string): Promise<unknown> => {
    const ref = kubeconfigSecret(index).metadata;
    return kube.patch(secretResource, ref, { type: 'merge', body: { metadata: { labels: { [name]: 'true' } } } });
  };
  const body = { metadata: { annotations: { 'example.org/touched': 'yes' } } };
  const touch = (index: number): Promise<unknown> =>
    kube.patch(applicationResource, { name: `app-${index}`, namespace: NAMESPACE }, { type: 'merge', body });
  return {
    aLabelThatNoSelectorReads: await costOf(controller, () => label(7, 'example.org/note')),
    aClusterThatLeavesOneApplication: await costOf(controller, () => label(8, LEAVES)),
    anAnnotationOnEachApplication: await costOf(controller, () => forEach(apps, touch)),
  };
}

async function measure(world: World, fleet: Fleet): Promise<Record<string, unknown>> {
  await prepare(fleet);
  return withController(world, EXTERNAL_ENGINE, async (controller) => {
    const rolledOut = await rollOut(fleet, controller);
    const changes = await changesOf(fleet, controller);
    return { rolledOut, changes, peakMiB: await peakMiB(controller), bareChildrenPerSecond: await bareRate(fleet) };
  });
}

/**
 * Applications that choose all clusters of an inventory by selector, from their first apply to all of their children,
 * beside bare server-side applies of such children; then what single changes cost. Flux is at work elsewhere.
 */
export const fleetBench: Bench = ({ full }) =>
  withCrds(async ({ world, kube }) => {
    const size = full ? SIZES.full : SIZES.short;
    return { ...size, ...(await measure(world, { kube, ...size })) };
  });
