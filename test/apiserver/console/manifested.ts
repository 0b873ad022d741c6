import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { configMapResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { prepareCluster } from '../../support/harness.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { freshNamespace, kubeFor, useWorld } from '../../support/world.js';
import { account, grant, startConsole, type Console } from './harness.js';

const SPEC = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
const SECRET =
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: NAME\nstringData:\n  password: {{ .Values.password }}\n';
const indented = (text: string): string => text.trimEnd().replaceAll('\n', '\n  ');
const LONG = Array.from({ length: 2_000 }, (_, index) => `  line-${index}: value\n`).join('');
const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.3\n',
  'values.yaml': 'password: letmein\n',
  'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  mode: fast\n',
  'templates/b.yaml': SECRET.replace('NAME', 'web'),
  'templates/c.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${indented(SECRET.replace('NAME', 'listed'))}\n`,
  // Longer than what is drawn at once, and with what must stay text.
  'templates/e.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: long\ndata:\n  page: '<b>bold</b>'\n${LONG}`,
  'templates/d.yaml': SECRET.replace('NAME', 'hook\n  annotations: { helm.sh/hook: post-install }'),
};

/** An Application with a release of the real helm on `eu`, one that Helm does not have any more, and files on the host. */
export interface Manifested {
  readonly kube: Kube;
  readonly namespace: string;
  readonly console: Console;
  /** The cluster `eu`, and the namespace of the release there. */
  readonly member: Kube;
  readonly target: string;
  /** May read everything in the namespace; everything but Secrets; only Applications. */
  readonly tokens: Record<'owner' | 'guest' | 'reader', string>;
}

/** By the real helm, on a member. */
async function install(world: World, kubeconfig: string, namespace: string): Promise<void> {
  const chart = path.join(world.dir, `chart-${namespace}`);
  await mkdir(path.join(chart, 'templates'), { recursive: true });
  for (const [file, text] of Object.entries(CHART)) await writeFile(path.join(chart, file), text);
  const args = ['install', 'web', chart, '--namespace', namespace, '--kubeconfig', kubeconfig];
  await promisify(execFile)(world.tools.helm, args);
}

async function put(kube: Kube, type: ResourceType, object: KubeObject & { status: object }): Promise<void> {
  const made = await kube.create<KubeObject>(type, object);
  const body = { status: object.status };
  await kube.patch(type, made.metadata, { type: 'merge', body }, { subresource: 'status' });
}

const RELEASED = {
  ...{ digest: 'x', configDigest: 'x', chartName: 'web', chartVersion: '1.2.3', status: 'deployed' },
  ...{ firstDeployed: '2026-01-01T00:00:00Z', lastDeployed: '2026-01-01T00:00:00Z' },
};

export async function putRelease(
  kube: Kube,
  { name, namespace }: { name: string; namespace: string },
  { target, version, release = 'web' }: { target: string; version: number; release?: string },
): Promise<void> {
  const chart = { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'x' } } };
  const kubeConfig = { secretRef: { name: 'eu' } };
  const spec = { interval: '10m', targetNamespace: target, storageNamespace: target, chart, kubeConfig };
  const status = { storageNamespace: target, history: [{ ...RELEASED, name: release, namespace: target, version }] };
  const type = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' };
  await put(kube, helmReleaseResource, { ...type, metadata: { name, namespace }, ...{ spec }, status });
}

async function putKustomization(kube: Kube, namespace: string): Promise<void> {
  const stringData = { password: 'letmein' };
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ stringData }) };
  const live = { apiVersion: 'v1', metadata: { name: 'live', namespace } };
  const secret = { ...live, kind: 'Secret', metadata: { ...live.metadata, annotations }, ...{ stringData } };
  await kube.create<KubeObject>(secretResource, secret);
  await kube.create<KubeObject>(configMapResource, { ...live, kind: 'ConfigMap', ...{ data: { mode: 'slow' } } });
  const ids = [`${namespace}_live__Secret`, `${namespace}_live__ConfigMap`, `${namespace}_gone__ConfigMap`];
  const inventory = { entries: ids.map((id) => ({ id, v: 'v1' })) };
  const spec = { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'x' } };
  const type = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' };
  const metadata = { name: 'files', namespace };
  await put(kube, kustomizationResource, { ...type, metadata, ...{ spec }, status: { inventory } });
}

async function putApplication(kube: Kube, namespace: string): Promise<void> {
  const of = (cluster: string, release: string, kind: string, name: string) => ({
    ...{ name, cluster, namespace, release, state: 'Ready', child: { kind, name } },
  });
  const destinations = [
    ...[of('eu', 'web', 'HelmRelease', 'web-eu'), of('eu', 'gone', 'HelmRelease', 'gone-eu')],
    of('host', '', 'Kustomization', 'files'),
  ];
  const type = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' };
  await put(kube, applicationResource, {
    ...{ ...type, metadata: { name: 'web', namespace }, ...{ spec: SPEC }, status: { destinations } },
  });
}

export async function gatherManifested(): Promise<Manifested> {
  const world = await useWorld();
  const { kube, namespace } = await prepareCluster(world.host, 'console-manifest');
  const [eu] = world.members;
  if (eu === undefined) throw new Error('a world has members');
  await giveKubeconfig(kube, { name: 'eu', namespace }, eu.kubeconfig);
  const member = await kubeFor(eu);
  const target = await freshNamespace(member, 'manifest');
  await install(world, eu.kubeconfig, target);
  await putRelease(kube, { name: 'web-eu', namespace }, { target, version: 1 });
  await putRelease(kube, { name: 'gone-eu', namespace }, { target, version: 7 });
  await putKustomization(kube, namespace);
  await putApplication(kube, namespace);
  const applications = { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['get', 'list'] };
  const flux = ['helm.toolkit.fluxcd.io', 'kustomize.toolkit.fluxcd.io'];
  const releases = { apiGroups: flux, resources: ['*'], verbs: ['get'] };
  const all = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
  const tokens: Record<string, string> = {};
  const rules = { owner: [all], guest: [applications, releases], reader: [applications] };
  for (const [name, each] of Object.entries(rules)) {
    const { user, token } = await account(kube, namespace, name);
    await grant(kube, name, { namespace, user, rules: each });
    tokens[name] = token;
  }
  const console = await startConsole(world, { kube, namespace });
  return { kube, namespace, console, member, target, tokens: tokens }; // one for each of the rules
}

export async function dismissManifested({ kube, member, console }: Manifested): Promise<void> {
  await console.stop();
  await Promise.all([kube.close(), member.close()]);
}
