import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { listAll } from '#runtime/client/kube.js';
import { useDependants } from '../engine/flux/dependants.js';
import { useHarness } from '../source/harness.js';
import type { RunningControllers } from '../../support/harness.js';
import { Pusher, tarLayer } from '../../support/oci.js';
import { eventually, freshNamespace } from '../../support/world.js';
import { runApplications } from './with-sources.js';

const sources = useHarness('inline-failure');
async function put(name: string, namespace: string, inline: InlineSource): Promise<void> {
  const deploy = [{ destination: { targetNamespace: namespace } }];
  const application: Application = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name, namespace } },
    spec: { kind: 'fluxcd', fluxApp: { spec: { source: { inline }, config: { helmRelease: { deploy } } } } },
  };
  await sources.host.apply(applicationResource, application, { fieldManager: 'user', force: true });
}

async function becomes(name: string, namespace: string, state: string, message: RegExp): Promise<void> {
  await eventually(async () => {
    const found = await sources.host.get<Application>(applicationResource, { name, namespace });
    const [row] = found?.status?.destinations ?? [];
    expect(row).toMatchObject({ state, message: expect.stringMatching(message) });
    expect(row?.message?.length).toBeLessThanOrEqual(375);
    if (state === 'Failed') expect(found?.status?.pending).toBeUndefined();
  });
}

describe('with the embedded engine', () => {
  // It runs the releases of all namespaces, so that it must have stopped before the next test.
  useDependants(sources);
  let controllers: RunningControllers;

  beforeAll(() => {
    controllers = runApplications(sources.host, sources.namespace);
  });

  afterAll(() => controllers.stop());

  test('a destination says why its registry cannot be read, and recovers', async () => {
    const { registry } = sources.world;
    const inline = { repo: `oci://${registry}/${sources.namespace}`, chart: 'absent', insecureSkipTLS: true };
    await put('oci', sources.namespace, { ...inline, version: '1.0.0' });
    const cause = /^HelmRelease \S+: OCIRepository \S+inline-\S+: .*absent/;
    await becomes('oci', sources.namespace, 'Failed', cause);
    const files = { 'absent/Chart.yaml': 'apiVersion: v2\nname: absent\nversion: 1.0.0\n' };
    const mediaType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
    const pusher = new Pusher(`http://${registry}`, `${sources.namespace}/absent`);
    await pusher.image('1.0.0', [{ ...(await tarLayer(files)), mediaType }]);
    await becomes('oci', sources.namespace, 'Ready', /^Helm install succeeded/);
  });

  test('a destination says why its Helm repository cannot be read', async () => {
    await put('https', sources.namespace, { repo: 'https://charts.invalid/stable', chart: 'web', version: '1.x' });
    await becomes(
      'https',
      sources.namespace,
      'Failed',
      /^HelmRelease \S+: HelmRepository \S+inline-charts-invalid\S+: /,
    );
  });
});

/** Writes the status of the only object of a kind, as Flux does. */
async function report(type: ResourceType, namespace: string, ready: object): Promise<void> {
  const { host } = sources;
  const found = await eventually(async () => {
    const { items } = await listAll<KubeObject>(host, type, { namespace });
    expect(items).toHaveLength(1);
    return items[0]!;
  });
  const facts = { observedGeneration: found.metadata.generation, lastTransitionTime: '2026-01-01T00:00:00Z' };
  const status = { observedGeneration: found.metadata.generation, conditions: [{ type: 'Ready', ...facts, ...ready }] };
  await host.patch(type, found.metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
}

test('a destination says so with Flux as engine, whatever that says of the release, and no longer once the source is ready', async () => {
  const namespace = await freshNamespace(sources.host, 'inline-flux');
  const own = runApplications(sources.host, namespace, { isEngineExternal: true });
  try {
    await put('web', namespace, { repo: 'https://charts.invalid/stable', chart: 'web' });
    const waits = { status: 'False', reason: 'SourceNotReady', message: 'HelmChart is not ready: no artifact' };
    await report(helmReleaseResource, namespace, waits);
    await becomes('web', namespace, 'Pending', /HelmChart is not ready: no artifact$/);
    const fails = { status: 'False', reason: 'Failed', message: `failed to fetch: ${'x '.repeat(2_000)}: 404` };
    await report(helmRepositoryResource, namespace, fails);
    await becomes('web', namespace, 'Failed', /: HelmRepository \S+: failed to fetch: .* 404$/);
    await report(helmRepositoryResource, namespace, { status: 'True', reason: 'Succeeded', message: '' });
    await becomes('web', namespace, 'Pending', /HelmChart is not ready: no artifact$/);
  } finally {
    await own.stop();
  }
});
