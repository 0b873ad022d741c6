import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configMapResource, namespaceResource, serviceAccountResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { findWorld, startDaemonWorld } from '#sandbox/daemon-world.js';
import { identify } from '#sandbox/process-id.js';
import { auditEntries, auditPosition, type AuditEntry } from '#bench/scenarios/audit.js';
import { eventually } from '#bench/scenarios/eventually.js';
import type { Cluster, World } from '#sandbox/world.js';

export { eventually };
export { auditEntries, auditPosition, type AuditEntry };

const POLL_MS = 200;
/** The ConfigMap that the cluster puts into each namespace. */
const ROOT_CERTIFICATE = 'kube-root-ca.crt';

/** The process that runs all test files: jest itself, whether it has workers or not. */
function jestPid(): number {
  return Number(process.env['FAIRLEAD_TEST_RUN'] ?? process.pid);
}

/** Folder of the world that all test files of one worker share, one after the other. */
function sharedFolder(): string {
  return path.join(tmpdir(), `fairlead-test-${jestPid()}-${process.env['JEST_WORKER_ID'] ?? '1'}`);
}

async function isFirst(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { mode: 0o700 });
    return true;
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function startShared(dir: string): Promise<World> {
  const owner = await identify(jestPid());
  try {
    return await startDaemonWorld({ dir, members: 2, ...(owner === undefined ? {} : { owner }) });
  } catch (error: unknown) {
    // So that the next file, which may be waiting for this one, sees the failure by itself.
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

/**
 * One world (host, two members, servers) for all files of a jest worker, which run one after the other: the first
 * caller starts it, jest's global teardown stops it, and it also ends with jest. Give the first use the time of a
 * start: `beforeAll(..., 180_000)`. The files of another worker share nothing but the machine, which may be busy. Never
 * change what others see: work in a namespace of your own, and start a world of your own to break it.
 */
export async function useWorld(): Promise<World> {
  const dir = sharedFolder();
  for (;;) {
    const found = await findWorld(dir);
    if (found !== undefined) return found;
    if (await isFirst(dir)) return startShared(dir);
    await delay(POLL_MS);
  }
}

/** The runtime's client for a cluster, as its administrator. Close it after use. */
export function kubeFor(cluster: Cluster): Promise<Kube> {
  return kubeFromFile({ path: cluster.kubeconfig });
}

/** The mutating requests after `since` that were answered by now: the log comes a moment after the answers. */
export async function auditEntriesUntilNow(cluster: Cluster, since: number): Promise<AuditEntry[]> {
  const name = `until-${randomBytes(4).toString('hex')}`;
  const kube = await kubeFor(cluster);
  try {
    // Its entry is the last one.
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { dryRun: true });
  } finally {
    await kube.close();
  }
  return eventually(async () => {
    const entries = await auditEntries(cluster, since);
    const end = entries.findIndex(({ objectRef }) => objectRef?.name === name);
    if (end < 0) throw new Error(`the audit log does not have ${name} yet`);
    return entries.slice(0, end);
  });
}

/** Makes a namespace and waits until it has what the cluster puts into each: then pods may be made. */
export async function makeNamespace(kube: Kube, name: string): Promise<void> {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await kube.create(namespaceResource, namespace);
  await eventually(async () => {
    const account = await kube.get(serviceAccountResource, { name: 'default', namespace: name });
    if (account === undefined) throw new Error(`namespace ${name} has no default service account yet`);
    const certificate = await kube.get(configMapResource, { name: ROOT_CERTIFICATE, namespace: name });
    if (certificate === undefined) throw new Error(`namespace ${name} has no root certificate yet`);
  });
}

/** Makes a namespace `PREFIX-random`; see makeNamespace. */
export async function freshNamespace(kube: Kube, prefix: string): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`;
  await makeNamespace(kube, name);
  return name;
}
