import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { configMapResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { ManifestObject, ManifestView } from '#controllers/read-model/manifest-view.js';
import type { Kube } from '#controllers/runtime/kube.js';
import type { World } from '#sandbox/world.js';
import { fixture } from '#test/support/fixture.js';
import { prepareCluster } from '#test/support/harness.js';
import { giveKubeconfig } from '#test/support/kubeconfig-secret.js';
import { freshNamespace, kubeFor, useWorld } from '#test/support/world.js';
import { account, grant, send, startConsole, type Console } from './harness.js';

const SPEC = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
const SECRET =
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: NAME\nstringData:\n  password: {{ .Values.password }}\n';
const indented = (text: string): string => text.trimEnd().replaceAll('\n', '\n  ');
const CHART = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.3\n',
  'values.yaml': 'password: letmein\n',
  'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  mode: fast\n',
  'templates/b.yaml': SECRET.replace('NAME', 'web'),
  'templates/c.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${indented(SECRET.replace('NAME', 'listed'))}\n`,
  'templates/d.yaml': SECRET.replace('NAME', 'hook\n  annotations: { helm.sh/hook: post-install }'),
};

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly console: Console;
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
  ...{ firstDeployed: '2026-01-01T00:00:00Z', lastDeployed: '2026-01-01T00:00:00Z', name: 'web' },
};

async function putRelease(
  kube: Kube,
  { name, namespace }: { name: string; namespace: string },
  { target, version }: { target: string; version: number },
): Promise<void> {
  const chart = { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'x' } } };
  const kubeConfig = { secretRef: { name: 'eu' } };
  const spec = { interval: '10m', targetNamespace: target, storageNamespace: target, chart, kubeConfig };
  const status = { storageNamespace: target, history: [{ ...RELEASED, namespace: target, version }] };
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

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'console-manifest');
    const [eu] = world.members;
    if (eu === undefined) throw new Error('a world has members');
    await giveKubeconfig(kube, { name: 'eu', namespace }, eu.kubeconfig);
    const member = await kubeFor(eu);
    const target = await freshNamespace(member, 'manifest').finally(() => member.close());
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
    return { kube, namespace, console, tokens: tokens }; // one for each of the rules
  },
  async ({ kube, console }) => {
    await console.stop();
    await kube.close();
  },
);

type Who = keyof Setting['tokens'];

function ask(who: Who, query: string): Promise<{ code: number; text: string }> {
  const { console, namespace, tokens } = setting;
  const url = `/api/v1/namespaces/${namespace}/applications/web/manifest${query}`;
  return send(console.port, url, { token: tokens[who] });
}

async function manifestOf(who: Who, query: string): Promise<ManifestView> {
  const { code, text } = await ask(who, query);
  expect({ code, text }).toMatchObject({ code: 200 });
  expect(text).not.toContain('letmein');
  expect(text).not.toContain(Buffer.from('letmein').toString('base64'));
  return JSON.parse(text) as ManifestView;
}

const named = ({ kind, name, hook }: ManifestObject): string => `${kind}/${name} ${hook}`.trim();

describe('the manifest of a destination', () => {
  it('has what helm installed there, and nothing that its Secrets hold', async () => {
    const found = await manifestOf('owner', '?cluster=eu&release=web');
    expect(found).toMatchObject({
      ...{ application: `${setting.namespace}/web`, cluster: 'eu', release: 'web', problem: '', more: 0 },
      helm: { version: 1, status: 'deployed', chart: 'web', chartVersion: '1.2.3' },
    });
    const names = ['Secret/web', 'ConfigMap/web', 'Secret/listed', 'Secret/hook post-install'];
    expect(found.objects.map(named).sort()).toEqual(names.sort());
    const yamlOf = (name: string): string => found.objects.find((each) => named(each) === name)?.yaml ?? '';
    expect(yamlOf('ConfigMap/web')).toContain('mode: fast');
    for (const name of names.filter((each) => each.startsWith('Secret'))) {
      expect(yamlOf(name)).toContain("stringData:\n  password: '*****'");
    }
  });

  it('of a Kustomization has what is there now', async () => {
    const found = await manifestOf('owner', '?child=' + encodeURIComponent(`Kustomization ${setting.namespace}/files`));
    expect(found.helm).toBeUndefined();
    expect(found.objects.map(named)).toEqual(['Secret/live', 'ConfigMap/live', 'ConfigMap/gone']);
    const [secret, configMap, gone] = found.objects;
    expect(secret?.yaml).toMatch(/^kind: Secret$/m);
    expect(secret?.yaml).toMatch(/last-applied-configuration: '\*\*\*\*\*'/);
    expect(configMap?.yaml).toContain('mode: slow');
    expect(gone).toMatchObject({ yaml: '', problem: 'it does not exist' });
  });

  it('is missing with a reason where Helm has no such revision', async () => {
    const found = await manifestOf('owner', '?release=gone');
    expect(found).toMatchObject({ objects: [], problem: expect.stringContaining('revision 7 of Helm is not stored') });
  });

  it('is of one destination', async () => {
    const answer = await ask('owner', '?cluster=eu');
    expect(answer).toMatchObject({ code: 400, text: expect.stringContaining('2 destinations are meant') });
    expect((await ask('owner', '?cluster=us')).code).toBe(400);
    expect((await ask('owner', '?clusters=eu')).code).toBe(400);
  });
});

describe('who may not read all', () => {
  it('has nothing of a cluster whose kubeconfig he may not read', async () => {
    const found = await manifestOf('guest', '?release=web');
    expect(found).toMatchObject({ objects: [], problem: expect.stringMatching(/secrets "eu" is forbidden: User/) });
  });

  it('has only names of objects that he may not read', async () => {
    const { objects } = await manifestOf('guest', '?cluster=host');
    expect(objects.map(({ yaml }) => yaml)).toEqual(['', '', '']);
    expect(objects[1]?.problem).toContain('configmaps "live" is forbidden');
  });

  it('has nothing of a child that he may not read', async () => {
    const found = await manifestOf('reader', '?cluster=host');
    expect(found).toMatchObject({ objects: [], problem: expect.stringContaining('is forbidden') });
  });
});
