import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { helmRepositoryResource } from '../../../api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '../../../api/meta.js';
import { applicationResource, type Application } from '../../../api/v1alpha1/application.js';
import { applicationController } from '../../../controllers/application/setup.js';
import type { Child } from '../../../controllers/application/model/types.js';
import type { Kube } from '../../../controllers/runtime/kube.js';
import { listAll } from '../../../controllers/runtime/kube.js';
import { createLogger } from '../../../controllers/runtime/log.js';
import { Manager } from '../../../controllers/runtime/manager.js';
import { getCondition } from '../../../controllers/runtime/pure/conditions.js';
import type { Cluster } from '../../../sandbox/world.js';
import { auditEntries, auditPosition, eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';
import { application, deploy, type Deploy } from '../../unit/application/model/builders.js';

const CRDS: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const SECRETS: ResourceType = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };

async function installCrds(kube: Kube): Promise<void> {
  const folder = path.resolve('config/crd');
  for (const file of await readdir(folder)) {
    if (!file.includes('_')) continue;
    const crd = parse(await readFile(path.join(folder, file), 'utf8')) as KubeObject;
    await kube.apply(CRDS, crd, { fieldManager: 'test', force: true });
    await eventually(async () => {
      const live = await kube.get<KubeObject & { status?: Application['status'] }>(CRDS, crd.metadata);
      expect(getCondition(live?.status?.conditions, 'Established')?.status).toBe('True');
    });
  }
}

describe('the Application controller on a real API server', () => {
  let kube: Kube;
  let host: Cluster;
  let namespace: string;
  let running: Promise<void>;
  const stop = new AbortController();

  const children = async (): Promise<Child[]> => {
    const { items } = await listAll<Child>(kube, helmReleaseResource, { namespace });
    return items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  };
  const childrenOf = async (name: string): Promise<Child[]> =>
    (await children()).filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === name);
  const wanted = (name: string, entries: Deploy[]): Application => {
    const base = application(entries);
    return { ...base, metadata: { name, namespace } };
  };
  const put = (name: string, entries: Deploy[]): Promise<Application> =>
    kube.apply(applicationResource, wanted(name, entries), { fieldManager: 'user', force: true });
  const read = async (name: string): Promise<Application> => {
    const live = await kube.get<Application>(applicationResource, { name, namespace });
    if (live === undefined) throw new Error(`no Application ${name}`);
    return live;
  };
  /** Writes the status of a child as Flux would. */
  const report = (child: Child, status: 'True' | 'False', reason: string): Promise<Child> => {
    const generation = child.metadata.generation ?? 1;
    const base = { type: 'Ready', reason, message: `${reason} happened`, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const body = {
      status: { observedGeneration: generation, conditions: [{ ...base, status, observedGeneration: generation }] },
    };
    return kube.patch(helmReleaseResource, child.metadata, { type: 'merge', body }, { subresource: 'status' });
  };
  const becomes = (name: string, status: string, reason: string): Promise<void> =>
    eventually(async () => {
      const live = await read(name);
      expect(getCondition(live.status?.conditions, 'Ready')).toMatchObject({ status, reason });
      expect(live.status?.observedGeneration).toBe(live.metadata.generation);
    });
  const writes = async (since: number): Promise<string[]> => {
    const entries = await auditEntries(host, since);
    const ours = entries.filter(
      ({ objectRef }) => objectRef?.namespace === namespace && objectRef.resource !== 'events',
    );
    return ours.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`);
  };

  beforeAll(async () => {
    ({ host } = await useWorld());
    kube = await kubeFor(host);
    await installCrds(kube);
    namespace = await freshNamespace(kube, 'app');
    const repository = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata: { name: 'charts', namespace },
      spec: { url: 'https://charts.invalid', interval: '10m' },
    };
    await kube.create(helmRepositoryResource, repository);
    for (const name of ['eu', 'us']) {
      await kube.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
    }
    const manager = new Manager({ kube, log: createLogger('error'), namespace });
    manager.add(applicationController(manager, { allowCrossNamespace: true }));
    running = manager.start(stop.signal);
  }, 180_000);

  afterAll(async () => {
    stop.abort();
    await running;
    await kube.close();
  }, 60_000);

  it('makes a child per entry, reports them, keeps still, and writes one child for one edit', async () => {
    await put('roll', [deploy('prod', 'eu', { values: { a: null, b: 1 } }), deploy('prod', 'us')]);
    await eventually(async () => expect(await childrenOf('roll')).toHaveLength(2));
    const made = await childrenOf('roll');
    expect(made.find(({ spec }) => spec.kubeConfig?.secretRef?.name === 'eu')).toMatchObject({
      metadata: {
        annotations: { 'app.kubernetes.io/name': 'eu-prod' },
        ownerReferences: [{ controller: true, name: 'roll' }],
      },
      spec: {
        interval: '10m',
        releaseName: 'roll',
        targetNamespace: 'prod',
        storageNamespace: 'prod',
        values: { a: null, b: 1 },
        chart: { spec: { chart: 'podinfo', sourceRef: { kind: 'HelmRepository', name: 'charts', namespace } } },
      },
    });
    await becomes('roll', 'Unknown', 'DestinationsNotReady');
    for (const child of made) await report(child, 'True', 'InstallSucceeded');
    await becomes('roll', 'True', 'AllReady');
    await eventually(async () => {
      const live = await read('roll');
      expect(live.status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
      expect(live.metadata.labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '2-2' });
      expect(live.metadata.finalizers).toEqual(['application.gitops.kubesphere.io']);
    });
    const quiet = await auditPosition(host);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await writes(quiet)).toEqual([]);

    const before = await auditPosition(host);
    await put('roll', [deploy('prod', 'eu', { values: { b: 2 } }), deploy('prod', 'us')]);
    await becomes('roll', 'Unknown', 'DestinationsNotReady');
    expect((await writes(before)).filter((write) => write.endsWith('helmreleases'))).toEqual(['patch helmreleases']);
  });

  it('deletes the child of a removed entry, and waits for children before it goes itself', async () => {
    await put('going', [deploy('going', 'eu'), deploy('going', 'us')]);
    await eventually(async () => expect(await childrenOf('going')).toHaveLength(2));
    for (const child of await childrenOf('going')) {
      const body = { metadata: { finalizers: ['finalizers.fluxcd.io'] } };
      await kube.patch(helmReleaseResource, child.metadata, { type: 'merge', body });
    }
    const release = async (child: Child): Promise<void> => {
      await kube.patch(helmReleaseResource, child.metadata, { type: 'merge', body: { metadata: { finalizers: [] } } });
    };
    await put('going', [deploy('going', 'us')]);
    await eventually(async () => {
      const leaving = (await childrenOf('going')).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(leaving).toHaveLength(1);
      expect(leaving[0]?.spec.kubeConfig?.secretRef?.name).toBe('eu');
      await release(leaving[0]!);
    });
    await eventually(async () => expect(await childrenOf('going')).toHaveLength(1));
    await kube.delete(applicationResource, { name: 'going', namespace });
    await eventually(async () => {
      const ready = getCondition((await read('going')).status?.conditions, 'Ready');
      expect(ready).toMatchObject({ reason: 'Deleting' });
      expect(ready?.message).toContain(`HelmRelease ${namespace}/going-us-going-`);
    });
    for (const child of await childrenOf('going')) await release(child);
    await eventually(async () =>
      expect(await kube.get(applicationResource, { name: 'going', namespace })).toBeUndefined(),
    );
  });

  it('leaves children behind when the policy is Orphan', async () => {
    const base = wanted('orphans', [deploy('orphans')]);
    const app = { ...base, spec: { ...base.spec, deletionPolicy: 'Orphan' as const } };
    await kube.apply(applicationResource, app, { fieldManager: 'user' });
    await eventually(async () => expect(await childrenOf('orphans')).toHaveLength(1));
    await kube.delete(applicationResource, { name: 'orphans', namespace });
    await eventually(async () =>
      expect(await kube.get(applicationResource, { name: 'orphans', namespace })).toBeUndefined(),
    );
    const [left] = await childrenOf('orphans');
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(left?.metadata.ownerReferences ?? []).toEqual([]);
  });

  it('rejects two entries with one identity and goes on with the third', async () => {
    await put('twins', [deploy('twins', 'eu'), deploy('twins', 'eu'), deploy('twins', 'us')]);
    await eventually(async () => expect(await childrenOf('twins')).toHaveLength(1));
    await becomes('twins', 'False', 'DuplicateDestination');
    const { status } = await read('twins');
    expect(getCondition(status?.conditions, 'Stalled')?.status).toBe('True');
    expect(status?.destinations?.map(({ state }) => state)).toEqual(['Stalled', 'Stalled', 'Pending']);
  });

  it.each([
    ['no-chart', 'ChartMissing', { helmRelease: { deploy: [deploy('x')] } }],
    [
      'two-charts',
      'ChartAndTemplate',
      { helmRelease: { chart: { chart: 'a' }, template: 't', deploy: [deploy('x')] } },
    ],
    ['bad-range', 'InvalidVersion', { helmRelease: { chart: { chart: 'a', version: 'one' }, deploy: [deploy('x')] } }],
    ['no-entry', 'DeployEmpty', { helmRelease: { chart: { chart: 'a' }, deploy: [] } }],
    ['no-config', 'ConfigMissing', {}],
  ])('stalls %s with %s and makes no child', async (name, reason, config) => {
    const base = wanted(name, []);
    const spec = { ...base.spec, fluxApp: { spec: { ...base.spec.fluxApp?.spec, config } } };
    await kube.apply(applicationResource, { ...base, spec }, { fieldManager: 'user' });
    await becomes(name, 'False', reason);
    expect(await childrenOf(name)).toEqual([]);
  });

  it('names a missing source and a missing kubeconfig, and heals when they come', async () => {
    const base = wanted('lacking', [deploy('lacking', 'asia')]);
    const source = { sourceRef: { kind: 'HelmRepository' as const, name: 'later' } };
    const spec = { ...base.spec, fluxApp: { spec: { ...base.spec.fluxApp?.spec, source } } };
    await kube.apply(applicationResource, { ...base, spec }, { fieldManager: 'user' });
    await becomes('lacking', 'False', 'SourceNotFound');
    const message = (await read('lacking')).status?.destinations?.[0]?.message;
    expect(message).toContain(`deploy[0].destination.kubeConfig.secretRef: Secret ${namespace}/asia does not exist`);
    await kube.create(helmRepositoryResource, {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata: { name: 'later', namespace },
      spec: { url: 'https://charts.invalid', interval: '10m' },
    } as KubeObject);
    await becomes('lacking', 'Unknown', 'DestinationsNotReady');
  });
});
