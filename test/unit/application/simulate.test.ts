import { expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { fileWorld } from '#cli/render/file-world.js';
import { changedChildren, renderApplication } from '#controllers/application/simulate.js';
import { application, deploy } from './model/builders.js';

const { signal } = new AbortController();
const NO_HELM = {
  offload: {
    run: () => {
      throw new Error('nothing is asked aside');
    },
    close: () => Promise.resolve(),
  },
  findRenderer: () => Promise.resolve(undefined),
};

const cluster = (env: string, index: number): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'Cluster',
  metadata: { namespace: 'shop', name: `c${index}`, uid: `uid-${index}`, labels: { env } },
});

async function worldOf(given: Application, envs: readonly string[]) {
  const { applications, deps } = await fileWorld([given, ...envs.map(cluster)], { allowCrossNamespace: true }, NO_HELM);
  return { given: applications[0]!, deps: { ...deps, checkSchema: () => Promise.resolve({ problems: [] }) } };
}

test('a removal is not held by removals that were counted long ago', async () => {
  const selector = { matchLabels: { env: 'prod' } };
  const plain = application([
    deploy('web', undefined, { destination: { clusterSelector: selector, targetNamespace: 'web' } }),
  ]);
  const counted = [{ until: '2020-01-01T00:00:00Z', ran: 20, removed: 60 }];
  const given = { ...plain, spec: { ...plain.spec, maxRemovals: 3 }, status: { removals: { counted } } } as Application;
  const envs = Array.from({ length: 10 }, () => 'prod');
  const before = await worldOf(given, envs);
  const rendered = await renderApplication(before.given, before.deps, signal);
  if (rendered === 'pending' || 'violation' in rendered) throw new Error('it is not rendered');
  expect(rendered.children).toHaveLength(10);
  const after = await worldOf(given, ['dev', ...envs.slice(1)]);
  const changed = await changedChildren(after.given, rendered.children, after.deps, signal);
  expect(changed).toMatchObject({
    findings: [{ action: 'deleted', message: 'on c0: cluster c0 no longer matches' }],
    unchanged: 9,
  });
});
