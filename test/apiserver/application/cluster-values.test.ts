import { describe, expect, it } from '@jest/globals';
import { CLUSTER_API_RESOURCES } from '#api/cluster/kinds.js';
import { secretResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { templateFacts } from '#controllers/application/evaluators/template-facts.js';
import { referenceReader } from '#controllers/cluster/references.js';
import { controlPlaneResource, installClusterCrds, removeClusterCrds } from '../../support/cluster-crds.js';
import { fixture } from '../../support/fixture.js';
import { cluster } from '../../unit/cluster/model/builders.js';
import { eventually } from '../../support/world.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { Harness } from './harness.js';

const CRDS = ['cluster-api-clusters', 'control-planes'] as const;
const [CAPI] = CLUSTER_API_RESOURCES as [ResourceType, ResourceType];
const CLUSTER = 'gitops.kubesphere.io/cluster-name';

describe('values per cluster, on a real API server with the real helm', () => {
  const harness = fixture(
    async () => {
      const started = await Harness.start();
      await installClusterCrds(started.kube, CRDS);
      return started;
    },
    async (started) => {
      await removeClusterCrds(started.kube, CRDS);
      await started.stop();
    },
  );

  /** A cluster of the namespace, by its kubeconfig Secret. */
  const putCluster = (name: string, labels: Record<string, string>): Promise<KubeObject> => {
    const all = { 'gitops.kubesphere.io/cluster': 'true', ...labels };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace, labels: all } };
    return harness.kube.apply(secretResource, secret, { fieldManager: 'user', force: true });
  };
  /** The values of the children, by cluster. */
  const valuesOf = async (name: string): Promise<Record<string, unknown>> => {
    const children = await harness.childrenOf(name);
    return Object.fromEntries(children.map(({ metadata, spec }) => [metadata.labels?.[CLUSTER] ?? '', spec['values']]));
  };
  const eventuallyValues = (name: string, values: Record<string, unknown>): Promise<void> =>
    eventually(async () => expect(await valuesOf(name)).toEqual(values));

  it('are layered: entry, template, overrides, expressions; a cluster for which they fail keeps what it has', async () => {
    await putCluster('story-1', { of: 'story', env: 'prod', zone: 'a' });
    await putCluster('story-2', { of: 'story', env: 'test', zone: 'b' });
    const entry = {
      ...selecting({ of: 'story' }),
      values: { env: '${{ cluster.labels.env }}', replicas: 1, debug: true },
      valuesTemplate: 'zone: {{ required "zone is needed" .ClusterLabels.zone }}\nreplicas: 2\n',
      overrides: [{ clusters: { names: ['story-1'] }, timeout: '9m', values: { replicas: 3, debug: false } }],
    };
    await harness.put('story', [entry]);
    const first = { env: 'prod', zone: 'a', replicas: 3, debug: false };
    await eventuallyValues('story', {
      'story-1': first,
      'story-2': { env: 'test', zone: 'b', replicas: 2, debug: true },
    });
    const timeouts = (await harness.childrenOf('story')).map(({ spec }) => spec['timeout']);
    expect(timeouts.sort()).toEqual(['9m', undefined]);

    await putCluster('story-2', { of: 'story', env: 'test' });
    await eventually(async () => {
      const rows = (await harness.read('story')).status?.destinations ?? [];
      const failed = rows.find(({ cluster }) => cluster === 'story-2');
      expect(failed?.message).toMatch(/deploy\[0\] \(cluster story-2\)\.valuesTemplate: zone is needed/);
      expect(rows.find(({ cluster }) => cluster === 'story-1')?.message ?? '').not.toContain('zone is needed');
    });
    // A change for all reaches the other one only.
    await harness.put('story', [{ ...entry, values: { ...entry.values, debug: 'all' }, overrides: [] }]);
    await eventuallyValues('story', {
      'story-1': { env: 'prod', zone: 'a', replicas: 2, debug: 'all' },
      'story-2': { env: 'test', zone: 'b', replicas: 2, debug: true },
    });
    await putCluster('story-2', { of: 'story', env: 'test', zone: 'c' });
    await eventually(async () => {
      expect((await valuesOf('story'))['story-2']).toEqual({ env: 'test', zone: 'c', replicas: 2, debug: 'all' });
    });
  });

  it('are made of the control plane of a cluster, and only a cluster without one is rejected', async () => {
    const put = (type: ResourceType, name: string, spec: object): Promise<KubeObject> => {
      const metadata = { name, namespace: harness.namespace, labels: { of: 'planes' } };
      const object = { apiVersion: `${type.group}/${type.version}`, kind: type.kind, metadata, spec };
      return harness.kube.apply(type, object, { fieldManager: 'user', force: true });
    };
    const refersTo = (name: string): object => ({
      controlPlaneRef: { apiGroup: controlPlaneResource.group, kind: controlPlaneResource.kind, name },
    });
    await put(controlPlaneResource, 'plane-1', { replicas: 3 });
    await put(controlPlaneResource, 'plane-2', { replicas: 5 });
    await put(CAPI, 'planes-1', refersTo('plane-1'));
    await put(CAPI, 'planes-2', {});
    const valuesTemplate = 'replicas: {{ .ControlPlane.spec.replicas }}';
    await harness.put('planes', [{ ...selecting({ of: 'planes' }), valuesTemplate }]);
    await eventually(async () => {
      const rows = (await harness.read('planes')).status?.destinations ?? [];
      const failed = rows.find(({ cluster }) => cluster === 'planes-2');
      expect(failed?.message).toMatch(/\(cluster planes-2\)\.valuesTemplate: \.ControlPlane is missing: /);
    });
    await eventuallyValues('planes', { 'planes-1': { replicas: 3 } });
    await put(CAPI, 'planes-2', refersTo('plane-2'));
    await eventuallyValues('planes', { 'planes-1': { replicas: 3 }, 'planes-2': { replicas: 5 } });
    // It keeps what it has.
    await put(CAPI, 'planes-2', refersTo('none'));
    await eventually(async () => {
      const rows = (await harness.read('planes')).status?.destinations ?? [];
      expect(rows.find(({ cluster }) => cluster === 'planes-2')?.message).toContain('.ControlPlane is missing');
    });
    await eventuallyValues('planes', { 'planes-1': { replicas: 3 }, 'planes-2': { replicas: 5 } });
  });

  it('that cannot be read are a problem of the cluster, and read again', async () => {
    const { group, kind } = controlPlaneResource;
    const object = { spec: { controlPlaneRef: { apiGroup: group, kind, name: 'unread' } } };
    const id = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: harness.namespace, name: 'unread' } as const;
    const capi = cluster(id, { facts: { cluster: object } });
    const stranger = referenceReader(harness.kube.actingAs(`system:serviceaccount:${harness.namespace}:stranger`));
    const pass = { tenant: harness.namespace, signal: new AbortController().signal };
    const [facts] = await templateFacts('{{ .ControlPlane }}', [capi], stranger, pass);
    const problem = expect.stringMatching(/^\.ControlPlane could not be read: .*forbidden/);
    expect(facts).toEqual({ problem, retryAfterMs: 60_000 });
  });
});
