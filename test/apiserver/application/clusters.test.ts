import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Child } from '#controllers/application/model/types.js';
import { eventually } from '#test/support/world.js';
import { selecting } from '#test/unit/application/model/clusters/builders.js';
import { useHarness } from './harness.js';

describe('destinations on clusters of the inventory, on a real API server', () => {
  const harness = useHarness();

  /** A cluster of the namespace, by its kubeconfig Secret. */
  const putCluster = (name: string, labels: Record<string, string>): Promise<KubeObject> =>
    harness.kube.apply(
      secretResource,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: harness.namespace, labels: { 'gitops.kubesphere.io/cluster': 'true', ...labels } },
      },
      { fieldManager: 'user', force: true },
    );
  const clustersOf = (children: readonly Child[]): (string | undefined)[] =>
    children.map(({ metadata }) => metadata.labels?.['gitops.kubesphere.io/cluster-name']).sort();

  it('are those with the labels, as these come', async () => {
    await putCluster('born-1', { of: 'born' });
    await harness.put('born', [selecting({ of: 'born' })]);
    await harness.eventuallyHas('born', 1);
    await putCluster('born-2', { of: 'born' });
    const children = await harness.eventuallyHas('born', 2);
    expect(clustersOf(children)).toEqual(['born-1', 'born-2']);
    expect(children.map(({ spec }) => spec.kubeConfig?.secretRef?.name).sort()).toEqual(['born-1', 'born-2']);
    await eventually(async () => {
      const rows = (await harness.read('born')).status?.destinations ?? [];
      expect(rows.map(({ cluster }) => cluster).sort()).toEqual(['born-1', 'born-2']);
    });
  });
});
