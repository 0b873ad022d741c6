import { expect, test } from '@jest/globals';
import { CLUSTER_UID_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { replacedBy } from '#engine/flux/model/cluster.js';

function child(uid: string | undefined) {
  const annotations = uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid };
  const metadata = { name: 'web', namespace: 'shop', annotations };
  return { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata };
}

test.each([
  ['nothing was recorded', undefined, 'b', false],
  ['nothing is known of either', undefined, undefined, false],
  ['the cluster does not tell', 'a', undefined, false],
  ['it is the same cluster', 'a', 'a', false],
  ['it is another cluster', 'a', 'b', true],
  ['what was recorded is empty', '', 'b', true],
])('replaced: %s', (_title, recorded, found, expected) => {
  expect(recordedUid(child(recorded))).toBe(recorded);
  expect(replacedBy(child(recorded), 'shop/eu/value', found) !== undefined).toBe(expected);
});

test('the message names both clusters, the object and the ways out, however long the annotation is', () => {
  const message = replacedBy(child(`a${'x'.repeat(10_000)}`), 'shop/eu/value', 'b') ?? '';
  expect(message).toContain('shop/eu/value leads to another cluster than the one that HelmRelease shop/web is for');
  expect(message).toMatch(/is b instead of ax+; correct the kubeconfig, or, .*cluster-uid of HelmRelease shop\/web$/);
  expect(message.length).toBeLessThan(500);
});
