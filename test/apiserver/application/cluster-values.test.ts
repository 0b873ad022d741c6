import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { eventually } from '#test/support/world.js';
import { selecting } from '#test/unit/application/model/clusters/builders.js';
import { useHarness } from './harness.js';

const CLUSTER = 'gitops.kubesphere.io/cluster-name';

describe('values per cluster, on a real API server with the real helm', () => {
  const harness = useHarness();

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
      expect(failed?.message).toMatch(/deploy\[0\] \(cluster story-2\)\.valuesTemplate: .*zone is needed/);
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
});
