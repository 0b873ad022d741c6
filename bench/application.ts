import { setTimeout as delay } from 'node:timers/promises';
import { configMapResource } from '#api/core.js';
import type { KubeObject, OwnerReference, ResourceType } from '#api/meta.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { auditEntries, auditPosition, type AuditEntry } from './scenarios/audit.js';
import { eventually } from './scenarios/eventually.js';
import { EXTERNAL_ENGINE, peakMiB, requestsBetween, requestsOf, startOn, untilRunning } from './controller.js';
import { median, ratio } from './figures.js';
import { type Bench, forEach, forEachOf, type Host, secondsOf, withCrds, WRITERS } from './harness.js';
import {
  applicationOf,
  APPLY,
  bareCopy,
  createCharts,
  createMembers,
  createNamespaces,
  memberName,
} from './objects.js';

const NAMESPACE = 'bench';
const BARE_NAMESPACE = 'bare';
const DESTINATIONS = 10;
const IDLE_MS = 60_000;
const SETTLE_LIMIT_MS = 600_000;
/** Seldom: reading the audit log takes time from what is measured, and the log itself says when something was done. */
const LOOK_MS = 3_000;
/** Quiet for this long: the controller has nothing more to do. */
const QUIET_MS = 5_000;
/**
 * How many Applications, and how often: the machine's mood changes from one round to the next, and the middle one
 * counts.
 */
const SIZES = { short: { apps: 200, rounds: 3 }, full: { apps: 1_000, rounds: 1 } };

function application(index: number): Application {
  const deploy = Array.from({ length: DESTINATIONS }, (_, destination) => ({
    destination: {
      kubeConfig: { secretRef: { name: memberName(destination), key: 'value' } },
      targetNamespace: 'shop',
    },
    interval: '10m',
    values: { region: `region-${destination}`, replicas: destination },
    install: { remediation: { retries: 3 } },
  }));
  const metadata = { name: `app-${index}`, namespace: NAMESPACE };
  return applicationOf({ metadata, chart: { chart: 'lighthouse', version: '1.4.0' }, deploy });
}

/**
 * What the Applications name: a source, and a kubeconfig for each destination. Returns the owner of the bare children.
 */
async function prepare(kube: Kube): Promise<OwnerReference> {
  await createNamespaces(kube, NAMESPACE, BARE_NAMESPACE);
  await createCharts(kube, NAMESPACE);
  await createMembers(kube, NAMESPACE, DESTINATIONS);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap' };
  const metadata = { name: 'owner', namespace: BARE_NAMESPACE };
  const { uid = '' } = (await kube.create<KubeObject>(configMapResource, { ...owner, metadata })).metadata;
  return { ...owner, name: metadata.name, uid, controller: true, blockOwnerDeletion: true };
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

function applications(count: number): Application[] {
  return Array.from({ length: count }, (_, index) => application(index));
}

/** Seconds that it takes to write the objects and nothing else. */
function secondsToApply(kube: Kube, type: ResourceType, objects: readonly KubeObject[]): Promise<number> {
  return secondsOf(() => forEachOf(objects, (object) => kube.apply(type, object, APPLY)));
}

/** Deletes all of a type in a namespace, and waits until they are gone. */
async function clear(kube: Kube, type: ResourceType, namespace: string): Promise<void> {
  const { items } = await listAll<KubeObject>(kube, type, { namespace, metadataOnly: true });
  await forEachOf(items, ({ metadata }) => kube.delete(type, metadata));
  await eventually(
    async () => {
      const left = await kube.list(type, { namespace, limit: 1, metadataOnly: true });
      if (left.items.length > 0) throw new Error(`there still is a ${type.kind} in ${namespace}`);
    },
    { timeoutMs: SETTLE_LIMIT_MS, intervalMs: 500 },
  );
}

interface Setup extends Host {
  /** How many Applications. */
  readonly apps: number;
  /** Of the bare children. */
  readonly owner: OwnerReference;
}

interface RollOut {
  readonly seconds: number;
  readonly requests: ReturnType<typeof requestsBetween>;
  readonly children: readonly HelmRelease[];
}

async function rollOut({ kube, world, apps }: Setup, controller: ControllerProcess): Promise<RollOut> {
  const before = await requestsOf(controller);
  const since = await auditPosition(world.host);
  const startedAt = Date.now();
  await secondsToApply(kube, applicationResource, applications(apps));
  const written = await eventually(
    async () => {
      const writes = childWrites(await auditEntries(world.host, since));
      if (writes.length < apps * DESTINATIONS) throw new Error(`${writes.length} children are written`);
      return writes;
    },
    { timeoutMs: SETTLE_LIMIT_MS, intervalMs: LOOK_MS },
  );
  const lastAt = Math.max(...written.map(({ stageTimestamp }) => Date.parse(stageTimestamp)));
  await quiet(world);
  const { items } = await listAll<HelmRelease>(kube, helmReleaseResource, { namespace: NAMESPACE });
  const requests = requestsBetween(before, await requestsOf(controller));
  return { seconds: (lastAt - startedAt) / 1_000, requests, children: items };
}

/** The same children for another namespace, where the controller leaves them alone. */
function bareCopies(children: readonly HelmRelease[], owner: OwnerReference): HelmRelease[] {
  return children.map((child) => {
    const copy = bareCopy(child, BARE_NAMESPACE);
    return { ...copy, metadata: { ...copy.metadata, ownerReferences: [owner] } };
  });
}

interface Round {
  /** Seconds from `apply` to all children. */
  readonly rolledOut: number;
  /** Seconds that the same children take when the same client writes them and nothing else happens. */
  readonly bare: number;
}

/**
 * Both sides find the server as it is some seconds after a great deletion: caches and heaps are as warm for one as for
 * the other.
 */
async function round(setup: Setup, controller: ControllerProcess, { children }: RollOut): Promise<Round> {
  const { kube, world, owner } = setup;
  await clear(kube, applicationResource, NAMESPACE);
  await quiet(world);
  const bare = await secondsToApply(kube, helmReleaseResource, bareCopies(children, owner));
  await clear(kube, helmReleaseResource, BARE_NAMESPACE);
  await quiet(world);
  const { seconds } = await rollOut(setup, controller);
  return { bare, rolledOut: seconds };
}

/**
 * Seconds to write the Applications alone, without a controller: part of every roll-out of them.
 */
async function secondsOfApplications({ kube, apps }: Setup): Promise<number> {
  const seconds = await secondsToApply(kube, applicationResource, applications(apps));
  await clear(kube, applicationResource, NAMESPACE);
  return seconds;
}

async function writesWhile(world: World, happens: () => Promise<unknown>): Promise<number> {
  const since = await auditPosition(world.host);
  await happens();
  await quiet(world);
  return childWrites(await auditEntries(world.host, since)).length;
}

/** Writes of children when nothing changes: there must be none. Ends the controller. */
async function writesWithoutCause({ kube, world, apps }: Setup, first: ControllerProcess): Promise<object> {
  let controller = first;
  const idleForAMinute = await writesWhile(world, () => delay(IDLE_MS));
  const afterRestart = await writesWhile(world, async () => {
    await controller.stop();
    controller = await startOn(world, EXTERNAL_ENGINE);
    await untilRunning(controller);
  });
  const afterAnAnnotationOnEach = await writesWhile(world, () => annotateAll(kube, apps));
  await controller.stop();
  return { idleForAMinute, afterRestart, afterAnAnnotationOnEach };
}

function figuresOf(
  { children, seconds, requests }: RollOut,
  rounds: readonly Round[],
  applicationsAlone: number,
): object {
  const perSecond = (all: readonly number[]): number => Math.round(children.length / median(all));
  return {
    children: children.length,
    concurrency: WRITERS,
    // Of a controller that has just started.
    firstChildrenPerSecond: perSecond([seconds]),
    childrenPerSecond: perSecond(rounds.map(({ rolledOut }) => rolledOut)),
    bareChildrenPerSecond: perSecond(rounds.map(({ bare }) => bare)),
    ratioToBare: median(rounds.map(({ bare, rolledOut }) => ratio(bare, rolledOut))),
    ratiosToBare: rounds.map(({ bare, rolledOut }) => ratio(bare, rolledOut)),
    // No controller could be faster than this on a machine that is busy with the writes.
    ratioToBareAtMost: median(rounds.map(({ bare }) => ratio(bare, bare + applicationsAlone))),
    requestsPerChild: ratio(requests.total, children.length),
    requests: requests.bySort,
  };
}

/**
 * From `apply` of many Applications to all of their children, beside bare server-side applies of the same children, in
 * turn; then what happens when nothing changes, which must be nothing.
 */
export const applicationBench: Bench = ({ full }) =>
  withCrds(async ({ world, kube }) => {
    const size = full ? SIZES.full : SIZES.short;
    const setup = { kube, world, apps: size.apps, owner: await prepare(kube) };
    const alone = await secondsOfApplications(setup);
    const controller = await startOn(world, EXTERNAL_ENGINE);
    await untilRunning(controller);
    const first = await rollOut(setup, controller);
    const peak = await peakMiB(controller);
    const rounds: Round[] = [];
    while (rounds.length < size.rounds) rounds.push(await round(setup, controller, first));
    const peakAfterDeletions = await peakMiB(controller);
    const childWrites = await writesWithoutCause(setup, controller);
    const memory = { peakMiB: peak, peakMiBAfterDeletions: peakAfterDeletions };
    return { applications: setup.apps, ...figuresOf(first, rounds, alone), ...memory, childWrites };
  });

async function annotateAll(kube: Kube, apps: number): Promise<void> {
  const body = { metadata: { annotations: { 'example.org/touched': 'yes' } } };
  await forEach(apps, (index) =>
    kube.patch(applicationResource, { name: `app-${index}`, namespace: NAMESPACE }, { type: 'merge', body }),
  );
}
