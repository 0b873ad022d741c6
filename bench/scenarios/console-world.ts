import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import times from 'lodash/times.js';
import { serviceAccountResource as account } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { freePorts, LOOPBACK } from '#sandbox/world/ports.js';
import { forEach } from '../harness.js';
import { applicationOf, createNamespaces, createWithStatus } from '../objects.js';
import { eventually } from './eventually.js';

const DESTINATIONS = 10;
const API = 'gitops.kubesphere.io';
const RBAC = 'rbac.authorization.k8s.io';

export interface Reader {
  readonly token: string;
  /** Undefined: those of the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
}

export const namespaceOf = (index: number): string => `team-${index}`;
export const nameOf = (index: number): string => `shop-${index}`;

function objectOf(index: number, namespaces: number): Application {
  const metadata = {
    name: nameOf(index),
    namespace: namespaceOf(index % namespaces),
    labels: { tier: `t${index % 7}` },
  };
  const deploy = Array.from({ length: DESTINATIONS }, (_, at) => ({
    destination: { kubeConfig: { secretRef: { name: `cluster-${at}` } }, targetNamespace: 'shop' },
    values: { replicas: at },
  }));
  return applicationOf({ metadata, chart: { chart: 'web', version: '1.4.0' }, deploy });
}

/** As a controller writes it: one of ten failed on one of its clusters. */
function statusOf(index: number): object {
  const isWell = index % 10 !== 0;
  const at = '2026-01-01T00:00:00Z';
  const message = isWell ? 'all destinations are ready' : 'cluster-3: install failed: timed out waiting for pods';
  const ready = { type: 'Ready', status: isWell ? 'True' : 'False', reason: isWell ? 'Ready' : 'ReleaseFailed' };
  const destinations = Array.from({ length: DESTINATIONS }, (_, cluster) => ({
    ...{ name: `cluster-${cluster}`, cluster: `cluster-${cluster}`, namespace: 'shop', release: nameOf(index) },
    ...{ child: { kind: 'HelmRelease', name: `${nameOf(index)}-${cluster}` }, revision: '1.4.0' },
    state: isWell || cluster !== 3 ? 'Ready' : 'Failed',
    message: isWell || cluster !== 3 ? '' : message,
  }));
  const summary = { desired: DESTINATIONS, ready: isWell ? '10/10' : '9/10' };
  return { conditions: [{ ...ready, message, lastTransitionTime: at }], summary, destinations, revision: '1.4.0' };
}

export async function createApplications(kube: Kube, count: number, namespaces: number): Promise<void> {
  await createNamespaces(kube, ...times(namespaces, namespaceOf));
  await forEach(count, (index) => createWithStatus(kube, objectOf(index, namespaces), statusOf(index)));
}

async function bind(kube: Kube, name: string, subject: object, namespace?: string): Promise<void> {
  const prefix = namespace === undefined ? 'Cluster' : '';
  const types = [`${prefix}Role`, `${prefix}RoleBinding`] as const;
  const rules = [{ apiGroups: [API], resources: ['applications'], verbs: ['get', 'list'] }];
  const bodies = [{ rules }, { roleRef: { apiGroup: RBAC, kind: types[0], name }, subjects: [subject] }];
  for (const [index, kind] of types.entries()) {
    const plural = `${kind.toLowerCase()}s`;
    const type = { group: RBAC, version: 'v1', kind, plural, namespaced: namespace !== undefined };
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    await kube.create(type, { apiVersion: `${RBAC}/v1`, kind, metadata, ...bodies[index] });
  }
}

/** ServiceAccounts: one of five reads everything, the others three namespaces each. */
export async function createReaders(kube: Kube, count: number, namespaces: number): Promise<Reader[]> {
  const readers: Reader[] = [];
  for (let index = 0; index < count; index += 1) {
    const metadata = { name: `reader-${index}`, namespace: 'default' };
    await kube.create(account, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const subject = { kind: 'ServiceAccount', ...metadata };
    const own = [0, 1, 2].map((step) => namespaceOf((index * 3 + step) % namespaces));
    const places = index % 5 === 0 ? undefined : [...new Set(own)];
    for (const place of places ?? [undefined]) await bind(kube, metadata.name, subject, place);
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} } as KubeObject;
    const made = await kube.create(account, request, { subresource: 'token' });
    const { token = '' } = (made as { status?: { token?: string } }).status ?? {};
    readers.push({ token, namespaces: places });
  }
  return readers;
}

export interface ConsoleProcess {
  readonly child: ChildProcess;
  readonly origin: string;
}

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');

/** The built server, ready, without a limit on requests that this machine could reach. */
export async function startConsoleProcess(kubeconfig: string): Promise<ConsoleProcess> {
  const [api = 0, health = 0] = await freePorts(2);
  const addresses = [`--addr=${LOOPBACK}:${api}`, `--health-addr=${LOOPBACK}:${health}`];
  const flags = [`--kubeconfig=${kubeconfig}`, '--requests-per-minute=9999999', ...addresses];
  const child = spawn(process.execPath, [PROGRAM, 'console', ...flags], { stdio: 'ignore' });
  await eventually(
    async () => {
      if (!(await fetch(`http://${LOOPBACK}:${health}/readyz`)).ok) throw new Error('the server is not ready');
    },
    { timeoutMs: 120_000 },
  );
  return { child, origin: `http://${LOOPBACK}:${api}` };
}

export async function endProcess({ child }: ConsoleProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
