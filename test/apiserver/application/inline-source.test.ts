import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource, type HelmRepository } from '#api/flux/helm-repository.js';
import { ociRepositoryResource, type OCIRepository } from '#api/flux/oci-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { CREDENTIALS_ANNOTATION, INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { madeSource, madeSourceName } from '#controllers/application/model/spec/inline-source.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { listAll } from '#runtime/client/kube.js';
import { createHarness, type Harness } from '../source/harness.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { conditionOf, type RunningControllers } from '../../support/harness.js';
import { Pusher, tarLayer } from '../../support/oci.js';
import { createRegistryFolder, type RegistryFolder } from '../../support/registry.js';
import { eventually } from '../../support/world.js';
import { runApplications } from './with-sources.js';

/** bcrypt of `secret`. */
const HTPASSWD = 'robot:$2a$04$LGEM4meqtqtXKMirvRW9WeekybXgKo8eeo6qkDjtZffpt0XFW9TX6\n';
const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
/** Longer than any test: what is fetched again is fetched for another reason. */
const INTERVAL = '1h';

let harness: Harness;
let controllers: RunningControllers;
let folder: RegistryFolder;
let registry: { readonly host: string; stop: () => Promise<void> };
let index: Listening;
let repo: string;

/** A registry that asks for a login, with two versions of a chart. */
async function startRegistry(): Promise<void> {
  folder = await createRegistryFolder(harness.world.tools.registry);
  const open = await folder.start(() => ({}));
  const layer = { ...(await tarLayer({ 'web/Chart.yaml': 'apiVersion: v2\nname: web\n' })), mediaType: CHART_LAYER };
  for (const tag of ['1.0.0', '1.1.0']) await new Pusher(`http://${open.host}`, 'charts/web').image(tag, [layer]);
  await open.stop();
  registry = await folder.start((files) => ({
    auth: { htpasswd: { realm: 'test', path: path.join(files, 'htpasswd') } },
    files: { htpasswd: HTPASSWD },
  }));
}

/** A Helm repository with TLS, by an authority of its own. */
async function startIndex(): Promise<void> {
  const certificate = selfSignedCertificate('localhost', 'index');
  await harness.publish({ name: 'web', version: '1.0.0' });
  index = await listen(
    createServer(certificate, ({ url = '' }, response) => {
      void readFile(path.join(harness.helmRoot, path.basename(url))).then((body) => response.end(body));
    }),
  );
  repo = `https://localhost:${index.address.port}`;
  await writeSecret('authority', { 'ca.crt': certificate.cert });
}

beforeAll(async () => {
  harness = await createHarness('app-inline');
  await startRegistry();
  await startIndex();
  controllers = runApplications(harness.host, harness.namespace);
});

afterAll(async () => {
  await controllers.stop();
  await index.close();
  await registry.stop();
  await folder.remove();
  await harness.close();
});

async function writeSecret(name: string, stringData: Record<string, string>): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace }, stringData };
  await harness.host.apply(secretResource, object, { fieldManager: 'user', force: true });
}

async function put(name: string, inline: InlineSource, more: Partial<Application['spec']> = {}): Promise<void> {
  const deploy = [{ destination: { targetNamespace: name } }];
  const spec = { interval: INTERVAL, source: { inline }, config: { helmRelease: { deploy } } };
  const application: Application = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' },
    metadata: { name, namespace: harness.namespace },
    spec: { kind: 'fluxcd', fluxApp: { spec }, ...more },
  };
  await harness.host.apply(applicationResource, application, { fieldManager: 'user', force: true });
}

async function until<T extends KubeObject>(
  type: ResourceType,
  name: string,
  check: (found: T | undefined) => void,
): Promise<void> {
  await eventually(async () => check(await harness.host.get<T>(type, { name, namespace: harness.namespace })));
}

async function untilReason(name: string, reason: string, message: string): Promise<void> {
  await until<Application>(applicationResource, name, (found) => {
    expect(conditionOf(found, 'Ready')).toMatchObject({ status: 'False', reason });
    expect(conditionOf(found, 'Ready')?.message).toContain(message);
  });
}

async function releasesOf(name: string): Promise<HelmRelease[]> {
  const { items } = await listAll<HelmRelease>(harness.host, helmReleaseResource, { namespace: harness.namespace });
  return items.filter(({ spec }) => spec.targetNamespace === name);
}

function nameOf(inline: InlineSource): string {
  return madeSourceName(madeSource(inline, INTERVAL));
}

test('a change of its Secret reaches a source at once, and another version is another source', async () => {
  const inline = {
    ...{ repo: `oci://${registry.host}/charts`, chart: 'web', version: '1.0.0' },
    ...{ secretRef: { name: 'robot' }, insecureSkipTLS: true },
  };
  const name = nameOf(inline);
  await put('oci', inline);
  await untilReason('oci', 'SourceNotFound', `inline.secretRef: Secret ${harness.namespace}/robot does not exist`);
  await until(ociRepositoryResource, name, (found) => expect(found).toBeDefined());
  const becomes = (expected: object): Promise<void> =>
    until<OCIRepository>(ociRepositoryResource, name, (found) => {
      expect(conditionOf(found, 'Ready')).toMatchObject(expected);
      const credentials = found?.metadata.annotations?.[CREDENTIALS_ANNOTATION];
      expect(found?.status?.lastHandledReconcileAt).toBe(credentials);
    });
  await writeSecret('robot', { username: 'robot', password: 'secret' });
  await becomes({ status: 'True' });
  await writeSecret('robot', { username: 'robot', password: 'guessed' });
  await becomes({ status: 'False', reason: 'AuthenticationFailed' });
  await writeSecret('robot', { username: 'robot', password: 'secret' });
  await becomes({ status: 'True' });
  const [release] = await releasesOf('oci');
  expect(release?.spec.chartRef).toEqual({ kind: 'OCIRepository', name, namespace: harness.namespace });

  const newer = { ...inline, version: '1.1.x' };
  await put('oci', newer);
  await until<OCIRepository>(ociRepositoryResource, nameOf(newer), (found) => {
    expect(found?.status?.artifact?.revision).toMatch(/^1\.1\.0@sha256:/);
  });
  await until(ociRepositoryResource, name, (found) => expect(found).toBeUndefined());
  expect((await releasesOf('oci')).map(({ spec }) => spec.chartRef?.name)).toEqual([nameOf(newer)]);
});

test('a source stays as long as an Application or a release of one uses it', async () => {
  const inline = { repo, chart: 'web', version: '1.x', caSecretRef: { name: 'authority' } };
  const name = nameOf(inline);
  await put('first', inline);
  await put('second', { ...inline, version: '1.0.0' }, { deletionPolicy: 'Orphan' });
  await eventually(async () => {
    const releases = [...(await releasesOf('first')), ...(await releasesOf('second'))];
    expect(releases.map(({ spec }) => spec.chart?.spec)).toEqual([
      {
        chart: 'web',
        version: '1.x',
        interval: INTERVAL,
        sourceRef: { kind: 'HelmRepository', name, namespace: harness.namespace },
      },
      {
        chart: 'web',
        version: '1.0.0',
        interval: INTERVAL,
        sourceRef: { kind: 'HelmRepository', name, namespace: harness.namespace },
      },
    ]);
  });
  const source = await harness.untilReady('HelmRepository', name);
  expect(source.metadata.labels).toEqual({ [INLINE_SOURCE_LABEL]: 'true' });
  expect(source.metadata.ownerReferences).toBeUndefined();

  for (const each of ['first', 'second']) {
    await harness.host.delete(applicationResource, { name: each, namespace: harness.namespace });
    await until(applicationResource, each, (found) => expect(found).toBeUndefined());
  }
  // What the first one had is gone, and what the second one left behind still needs the source.
  await eventually(async () => expect(await releasesOf('first')).toEqual([]));
  const [left] = await releasesOf('second');
  expect((await harness.read('HelmRepository', name))?.metadata).toMatchObject({ uid: source.metadata.uid });
  await harness.host.delete(helmReleaseResource, { name: left?.metadata.name ?? '', namespace: harness.namespace });
  await until(helmRepositoryResource, name, (found) => expect(found).toBeUndefined());
});

test('a source of somebody else is never overwritten, used or deleted', async () => {
  const inline = { repo: 'https://charts.invalid', chart: 'web' };
  const ref = { name: nameOf(inline), namespace: harness.namespace };
  const foreign = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository', metadata: ref },
    spec: { url: 'https://other.invalid', interval: '2h' },
  };
  await harness.host.create(helmRepositoryResource, foreign);
  await put('taken', inline);
  await untilReason('taken', 'SourceConflict', `HelmRepository ${ref.namespace}/${ref.name} exists`);
  expect(await releasesOf('taken')).toEqual([]);
  const live = await harness.host.get<HelmRepository>(helmRepositoryResource, ref);
  expect(live?.spec).toMatchObject(foreign.spec);
  expect(live?.metadata.labels).toBeUndefined();

  await harness.host.delete(helmRepositoryResource, ref);
  await until<HelmRepository>(helmRepositoryResource, ref.name, (found) => {
    expect(found?.spec.url).toBe(inline.repo);
  });
  await eventually(async () => expect(await releasesOf('taken')).toHaveLength(1));
  const edit = { type: 'merge', body: { spec: { url: 'https://other.invalid' } } } as const;
  await harness.host.patch(helmRepositoryResource, ref, edit, { fieldManager: 'user' });
  await until<HelmRepository>(helmRepositoryResource, ref.name, (found) => {
    expect(found?.spec.url).toBe(inline.repo);
  });
});

test('what is not valid creates nothing', async () => {
  const inline = { repo: 'https://me:hunter2@charts.invalid', chart: 'web' };
  await put('invalid', inline);
  await untilReason('invalid', 'InvalidSource', 'spec.fluxApp.spec.source.inline.repo contains credentials');
  expect(await harness.read('HelmRepository', nameOf(inline))).toBeUndefined();
  expect(await releasesOf('invalid')).toEqual([]);
});
