import { expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { appliedBy } from '#controllers/application/model/child/appliers.js';

const KUSTOMIZATION = 'kustomize.toolkit.fluxcd.io/name';
const ITS_NAMESPACE = 'kustomize.toolkit.fluxcd.io/namespace';
const TRACKING = 'argocd.argoproj.io/tracking-id';

test.each<[string, Partial<KubeObject['metadata']>, string | undefined, string[]]>([
  ['that kubectl wrote', { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } }, undefined, []],
  [
    'that Flux applied',
    { labels: { [KUSTOMIZATION]: 'all', [ITS_NAMESPACE]: 'flux-system' } },
    'Kustomization flux-system/all',
    [KUSTOMIZATION, ITS_NAMESPACE],
  ],
  ['of which one label is left', { labels: { [KUSTOMIZATION]: 'all' } }, 'Kustomization /all', [KUSTOMIZATION]],
  [
    'of a release of Flux',
    {
      labels: { 'helm.toolkit.fluxcd.io/name': 'stack', 'helm.toolkit.fluxcd.io/namespace': 'shop' },
      annotations: { 'meta.helm.sh/release-name': 'stack' },
    },
    'HelmRelease shop/stack',
    ['helm.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/namespace'],
  ],
  [
    'of a release of Helm',
    { annotations: { 'meta.helm.sh/release-name': 'stack' } },
    'Helm release stack',
    ['meta.helm.sh/release-name'],
  ],
  ['of Argo CD', { annotations: { [TRACKING]: 'a:b' } }, 'Argo CD', [TRACKING]],
])('who applies an object %s', (_, metadata, who, marks) => {
  const found = appliedBy({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } });
  expect([found?.who, found?.marks ?? []]).toEqual([who, marks]);
});
