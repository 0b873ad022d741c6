import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { namespaceResource, secretResource } from '../api/core.js';
import { helmReleaseResource, type HelmRelease } from '../api/flux/helm-release.js';
import { helmRepositoryResource } from '../api/flux/helm-repository.js';
import { applicationResource, type Application } from '../api/v1alpha1/application.js';
import { installCrds } from '../cli/install/crds.js';
import { kubeFromFile } from '../controllers/runtime/credentials.js';
import { listAll, type Kube } from '../controllers/runtime/kube.js';
import { auditEntries, auditPosition, type AuditEntry } from '../sandbox/stage/audit.js';
import { startController, type ControllerProcess } from '../sandbox/stage/controller-process.js';
import { eventually } from '../sandbox/stage/eventually.js';
import type { World } from '../sandbox/world.js';
import type { Bench } from './bench.js';
import { peakMiB, requestsBetween, requestsOf, untilRunning } from './controller-figures.js';
import { ratio } from './figures.js';
import { withWorld } from './with-world.js';

const NAMESPACE = 'bench';
const BARE_NAMESPACE = 'bare';
const DESTINATIONS = 10;
/** Requests of the bare client at the same time: four passes of eight writes, as the controller has at most. */
const CONCURRENCY = 32;
const IDLE_MS = 60_000;
const SETTLE_LIMIT_MS = 600_000;
/** Seldom: reading the audit log takes time from what is measured, and the log itself says when something was done. */
const LOOK_MS = 1_000;
/** Quiet for this long: the controller has nothing more to do. */
const QUIET_MS = 5_000;

function application(index: number): Application {
  const deploy = Array.from({ length: DESTINATIONS }, (_, destination) => ({
    destination: {
      kubeConfig: { secretRef: { name: `member-${destination}`, key: 'value' } },
      targetNamespace: 'shop',
    },
    interval: '10m',
    values: { region: `region-${destination}`, replicas: destination },
    install: { remediation: { retries: 3 } },
  }));
  const spec = {
    kind: 'fluxcd',
    fluxApp: {
      spec: {
        source: { sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: NAMESPACE } },
        config: { helmRelease: { chart: { chart: 'lighthouse', version: '1.4.0' }, deploy } },
      },
    },
  };
  const metadata = { name: `app-${index}`, namespace: NAMESPACE };
  return { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec } as Application;
}

/** What the Applications name: a source, and a kubeconfig for each destination. */
async function prepare(kube: Kube): Promise<void> {
  for (const name of [NAMESPACE, BARE_NAMESPACE]) {
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };
  const spec = { url: 'https://charts.example.org', interval: '10m' };
  await kube.create(helmRepositoryResource, { ...source, metadata: { name: 'charts', namespace: NAMESPACE }, spec });
  for (let destination = 0; destination < DESTINATIONS; destination += 1) {
    const metadata = { name: `member-${destination}`, namespace: NAMESPACE };
    await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
  }
}

/** Flux is at work elsewhere: the Application controller alone is measured. */
function startMeasured(world: World): Promise<ControllerProcess> {
  const { host, tools, dir } = world;
  return startController({ kubeconfig: host.kubeconfig, helm: tools.helm, dir, flags: ['--engine', 'external'] });
}

async function quiet(world: World): Promise<void> {
  await eventually(
    async () => {
      const since = await auditPosition(world.host);
      await delay(QUIET_MS);
      if (ours(await auditEntries(world.host, since)).length > 0) throw new Error('the controller still writes');
    },
    { timeoutMs: SETTLE_LIMIT_MS, intervalMs: 1 },
  );
}

/** Accepted or not: every mutating request of the controller. */
function ours(entries: readonly AuditEntry[]): AuditEntry[] {
  return entries.filter(
    ({ userAgent, requestURI }) => userAgent === 'fairlead' && requestURI.includes(`/${NAMESPACE}/`),
  );
}

function childWrites(entries: readonly AuditEntry[]): AuditEntry[] {
  return ours(entries).filter(({ objectRef, verb }) => objectRef?.resource === 'helmreleases' && verb !== 'delete');
}

async function inParallel<T>(items: readonly T[], send: (item: T) => Promise<unknown>): Promise<void> {
  const limit = pLimit(CONCURRENCY);
  await Promise.all(items.map((item) => limit(() => send(item))));
}

interface Rollout {
  readonly seconds: number;
  readonly requests: ReturnType<typeof requestsBetween>;
  readonly children: readonly HelmRelease[];
}

async function rollOut(kube: Kube, world: World, controller: ControllerProcess, apps: number): Promise<Rollout> {
  const before = await requestsOf(controller);
  const since = await auditPosition(world.host);
  const startedAt = Date.now();
  const all = Array.from({ length: apps }, (_, index) => application(index));
  await inParallel(all, (each) => kube.apply(applicationResource, each, { fieldManager: 'bench', force: true }));
  const written = await eventually(
    async () => {
      const writes = childWrites(await auditEntries(world.host, since));
      if (writes.length < apps * DESTINATIONS) throw new Error(`${writes.length} children are written`);
      return writes;
    },
    { timeoutMs: SETTLE_LIMIT_MS, intervalMs: LOOK_MS },
  );
  const lastAt = Math.max(...written.map(({ stageTimestamp }) => Date.parse(stageTimestamp)));
  const seconds = (lastAt - startedAt) / 1_000;
  await quiet(world);
  const { items } = await listAll<HelmRelease>(kube, helmReleaseResource, { namespace: NAMESPACE });
  return { seconds, requests: requestsBetween(before, await requestsOf(controller)), children: items };
}

/** Seconds that the same children take when they are written by the same client and nothing else happens. */
async function bareSeconds(kube: Kube, children: readonly HelmRelease[]): Promise<number> {
  const copies = children.map(({ apiVersion, kind, spec, metadata: { name, labels = {}, annotations = {} } }) => ({
    ...{ apiVersion, kind, spec },
    metadata: { name, namespace: BARE_NAMESPACE, labels, annotations },
  }));
  const startedAt = performance.now();
  await inParallel(copies, (copy) => kube.apply(helmReleaseResource, copy, { fieldManager: 'bench', force: true }));
  return (performance.now() - startedAt) / 1_000;
}

/** Seconds that the Applications alone take to be written, with nobody to act on them: part of every roll-out of them. */
async function applicationSeconds(kube: Kube, apps: number): Promise<number> {
  const all = Array.from({ length: apps }, (_, index) => application(index));
  const startedAt = performance.now();
  await inParallel(all, (each) => kube.apply(applicationResource, each, { fieldManager: 'bench', force: true }));
  const seconds = (performance.now() - startedAt) / 1_000;
  await inParallel(all, ({ metadata }) => kube.delete(applicationResource, metadata));
  return seconds;
}

async function writesWhile(world: World, happens: () => Promise<unknown>): Promise<number> {
  const since = await auditPosition(world.host);
  await happens();
  await quiet(world);
  return childWrites(await auditEntries(world.host, since)).length;
}

/**
 * From `apply` of many Applications to all of their children, beside bare server-side applies of the same children; then
 * what happens when nothing changes, which must be nothing.
 */
export const applicationBench: Bench = ({ full }) =>
  withWorld({ members: 0 }, async (world) => {
    const apps = full ? 1_000 : 200;
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    await installCrds(kube, { takeOver: false });
    await prepare(kube);
    const applications = await applicationSeconds(kube, apps);
    let controller = await startMeasured(world);
    await untilRunning(controller);
    const { seconds, requests, children } = await rollOut(kube, world, controller, apps);
    const bare = await bareSeconds(kube, children);
    const peak = await peakMiB(controller);
    const idle = await writesWhile(world, () => delay(IDLE_MS));
    const restarted = await writesWhile(world, async () => {
      await controller.stop();
      controller = await startMeasured(world);
      await untilRunning(controller);
    });
    const annotated = await writesWhile(world, () => annotateAll(kube, apps));
    await controller.stop();
    await kube.close();
    return {
      applications: apps,
      children: children.length,
      concurrency: CONCURRENCY,
      childrenPerSecond: Math.round(children.length / seconds),
      bareChildrenPerSecond: Math.round(children.length / bare),
      ratioToBare: ratio(bare, seconds),
      // No controller could be faster than this on a machine that is busy with the writes.
      ratioToBareAtMost: ratio(bare, bare + applications),
      requestsPerChild: ratio(requests.total, children.length),
      requests: requests.bySort,
      peakMiB: peak,
      childWrites: { idleForAMinute: idle, afterRestart: restarted, afterAnAnnotationOnEach: annotated },
    };
  });

async function annotateAll(kube: Kube, apps: number): Promise<void> {
  const body = { metadata: { annotations: { 'example.org/touched': 'yes' } } };
  const names = Array.from({ length: apps }, (_, index) => `app-${index}`);
  await inParallel(names, (name) =>
    kube.patch(applicationResource, { name, namespace: NAMESPACE }, { type: 'merge', body }),
  );
}
