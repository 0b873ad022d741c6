import { expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { isWithoutOwner } from '#api/v1alpha1/ownership.js';

const owner = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'web', uid: 'u' };
const labels = { 'gitops.kubesphere.io/application-uid': 'u' };
const annotations = { 'gitops.kubesphere.io/held-by': 'web' };
const byDevops = { 'app.kubernetes.io/managed-by': 'web' };

test.each<[string, boolean, Partial<KubeObject['metadata']> & { readonly generateName?: string }]>([
  ['that its Application holds', true, { labels, annotations }],
  ['that its Application holds, without the label', true, { annotations }],
  ['that its Application left behind', true, { labels }],
  ['that belongs to something else as well', true, { labels, ownerReferences: [{ ...owner, kind: 'ConfigMap' }] }],
  ['that its Application owns', false, { labels, ownerReferences: [owner] }],
  ['that loses its owner just now', false, { labels, annotations, ownerReferences: [owner] }],
  ['of ks-devops that was left behind', true, { labels: byDevops, generateName: 'web' }],
  ['of ks-devops with its owner', false, { labels: byDevops, generateName: 'web', ownerReferences: [owner] }],
  ['that Helm manages', false, { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }],
  ['that somebody made', false, {}],
])('an object %s: without an owner %p', (_, expected, metadata) => {
  const object = { apiVersion: 'v2', kind: 'HelmRelease', metadata: { name: 'web-1', namespace: 'shop', ...metadata } };
  expect(isWithoutOwner(object)).toBe(expected);
});
