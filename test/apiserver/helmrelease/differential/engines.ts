import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { secretResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Cluster } from '#sandbox/world.js';
import { eventually } from '../../../support/world.js';
import { conditionOf, type Harness } from '../harness.js';
import type { Case, Values } from './case.js';
import { liveObjects, readAll, readHistory } from './snapshot.js';

const execute = promisify(execFile);
const RELEASE = 'web';
/** Three hundred objects come and go while seven other charts do. */
const LIMIT_MS = 400_000;

/** One case on one member: the same namespace and release name on each, so that even messages are the same. */
export interface Place {
  readonly harness: Harness;
  readonly cluster: Cluster;
  readonly kube: Kube;
  readonly kubeConfigSecret: string;
  readonly namespace: string;
  readonly scratch: string;
  readonly subject: Case;
}

export function versionOf({ version = '1.0.0' }: Case): string {
  return version;
}

async function helm({ harness, cluster, namespace, scratch }: Place, ...args: string[]): Promise<string> {
  const flags = ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace];
  const env = { PATH: process.env['PATH'], HOME: scratch };
  return (await execute(harness.world.tools.helm, [...args, ...flags], { env, maxBuffer: 1 << 26 })).stdout;
}

/** Of each action; nothing here has to run into it, however busy the machine is. */
const TIMEOUT = '180s';

/** What helm-controller asks of helm, in words of the command line. */
const AS_FLUX = [
  ...['--take-ownership', '--wait=watcher', '--wait-for-jobs', '--force-conflicts'],
  `--timeout=${TIMEOUT}`,
];

function flagsOf({ helmFlags = [], upgradeFlags = [] }: Case, verb: 'install' | 'upgrade'): readonly string[] {
  return verb === 'upgrade' ? [...helmFlags, ...upgradeFlags] : helmFlags;
}

export async function helmRelease(place: Place, verb: 'install' | 'upgrade', values: Values): Promise<void> {
  const { harness, subject, scratch } = place;
  const file = path.join(scratch, `${subject.name}-${verb}.json`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(values));
  const chart = harness.chartFile(subject.name, versionOf(subject));
  await helm(place, verb, RELEASE, chart, '--values', file, ...AS_FLUX, ...flagsOf(subject, verb));
  if (subject.tests === true) await helm(place, 'test', RELEASE);
}

/** Flags that only installing and upgrading know are left out. */
function plainFlags({ helmFlags = [] }: Case): string[] {
  return helmFlags.filter((flag) => flag === '--no-hooks');
}

export async function helmRollback(place: Place, revision: number): Promise<void> {
  await helm(place, 'rollback', RELEASE, String(revision), ...AS_FLUX.slice(1), ...plainFlags(place.subject));
}

export async function helmUninstall(place: Place): Promise<void> {
  await helm(place, 'uninstall', RELEASE, '--wait=watcher', ...plainFlags(place.subject));
}

function releaseName({ subject, kubeConfigSecret }: Place): string {
  return `${subject.name}-${kubeConfigSecret}`;
}

/** Writes the HelmRelease; the engine does the rest. */
export async function engineRelease(
  place: Place,
  values: Values,
  more: Partial<HelmRelease['spec']> = {},
): Promise<void> {
  const { harness, subject, namespace, kubeConfigSecret } = place;
  const spec = {
    ...{ releaseName: RELEASE, targetNamespace: namespace, storageNamespace: namespace, timeout: TIMEOUT, values },
    upgrade: { remediation: { remediateLastFailure: true } },
    kubeConfig: { secretRef: { name: kubeConfigSecret } },
    chart: {
      spec: {
        chart: subject.name,
        version: versionOf(subject),
        sourceRef: { kind: 'HelmRepository' as const, name: 'c' },
      },
    },
    ...subject.spec,
    ...more,
  };
  await harness.apply(releaseName(place), spec);
}

export async function untilReady(place: Place): Promise<void> {
  const name = releaseName(place);
  const check = (release: HelmRelease): void => {
    const ready = conditionOf(release, 'Ready');
    const seen = release.status?.observedGeneration === release.metadata.generation;
    // After a remediation, only the other conditions say what failed.
    if (!seen || ready?.status !== 'True') throw new Error(`${name}: ${JSON.stringify(release.status?.conditions)}`);
  };
  await place.harness.until(name, check, LIMIT_MS);
}

/** Waits until the release failed and the engine says that it stops; returns why. */
export async function untilFailed(place: Place): Promise<string> {
  const check = (found: HelmRelease): void => {
    if (conditionOf(found, 'Stalled')?.status !== 'True') throw new Error(JSON.stringify(found.status?.conditions));
  };
  const release = await place.harness.until(releaseName(place), check, LIMIT_MS);
  return conditionOf(release, 'Released')?.message ?? '';
}

export async function untilRolledBack(place: Place, version: number): Promise<void> {
  const check = ({ status }: HelmRelease): void => {
    const last = status?.history?.[0];
    if (last?.version !== version || last.status !== 'deployed') throw new Error(JSON.stringify(status?.conditions));
  };
  await place.harness.until(releaseName(place), check, LIMIT_MS);
}

/** Lets go of the release; `suspended` leaves it on the cluster. */
export async function engineDelete(place: Place, { suspended }: { readonly suspended: boolean }): Promise<void> {
  const { harness } = place;
  const ref = { name: releaseName(place), namespace: harness.namespace };
  if (suspended) {
    await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { spec: { suspend: true } } });
  }
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(
    async () => {
      const left = await harness.host.get<HelmRelease>(helmReleaseResource, ref);
      if (left !== undefined) throw new Error(`${ref.name} is still there: ${JSON.stringify(left.status?.conditions)}`);
    },
    { timeoutMs: LIMIT_MS },
  );
}

/** What helm says of the release, and what is on the cluster. */
export async function snapshot(place: Place): Promise<Record<string, unknown>> {
  const [all, live] = await Promise.all([
    helm(place, 'get', 'all', RELEASE),
    liveObjects(place.kube, place.namespace, place.subject.kinds ?? []),
  ]);
  return { ...readAll(all), live };
}

/** All that helm says of the revisions of the release. */
export async function history(place: Place): Promise<unknown[]> {
  return readHistory(await helm(place, 'history', RELEASE, '--output=json'));
}

/** What is left on the cluster when the release is gone. */
export async function leftovers(place: Place): Promise<unknown> {
  const { items } = await place.kube.list(secretResource, { namespace: place.namespace, labelSelector: 'owner=helm' });
  const stored = items.map(({ metadata }) => metadata.name);
  return { stored, live: await liveObjects(place.kube, place.namespace, place.subject.kinds ?? []) };
}
