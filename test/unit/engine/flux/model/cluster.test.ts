import { expect, test } from '@jest/globals';
import { clusterKeys, clusterOf, serviceAccountOf } from '#engine/flux/model/cluster.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { ApplyingSpec } from '#engine/flux/model/types.js';
import { helmRelease } from '../../../helmrelease/model/builders.js';

test.each<[string, ApplyingSpec['kubeConfig'], object]>([
  ['no kubeConfig is the host', undefined, { kind: 'host' }],
  ['a Secret is a member', { secretRef: { name: 'eu' } }, { kind: 'member', secretRef: { name: 'eu' } }],
  [
    'a key in a Secret is kept',
    { secretRef: { name: 'eu', key: 'admin' } },
    { kind: 'member', secretRef: { name: 'eu', key: 'admin' } },
  ],
  [
    'a ConfigMap is never the host',
    { configMapRef: { name: 'eu' } },
    {
      kind: 'unreadable',
      reason: 'FeatureNotSupported',
      problem: expect.stringContaining('use spec.kubeConfig.secretRef'),
    },
  ],
  [
    'a ConfigMap beside a Secret leaves open which is meant',
    { secretRef: { name: 'eu' }, configMapRef: { name: 'eu' } },
    { kind: 'unreadable', reason: 'FeatureNotSupported', problem: expect.any(String) },
  ],
  [
    'an empty kubeConfig is never the host',
    {},
    { kind: 'unreadable', reason: 'KubeConfigInvalid', problem: expect.stringContaining('or remove spec.kubeConfig') },
  ],
  [
    'an empty name is never the host',
    { secretRef: { name: '' } },
    { kind: 'unreadable', reason: 'KubeConfigInvalid', problem: expect.any(String) },
  ],
])('%s', (_name, kubeConfig, expected) => {
  expect(clusterOf(kubeConfig === undefined ? {} : { kubeConfig })).toEqual(expected);
});

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  ['neither is given', undefined, undefined, undefined],
  ['both are empty', '', '', undefined],
  ['the spec names one', 'deployer', undefined, 'deployer'],
  ['the spec names one beside the default', 'deployer', 'tenant', 'deployer'],
  ['there is a default', undefined, 'tenant', 'tenant'],
  ['the spec is empty beside the default', '', 'tenant', 'tenant'],
])('when %s', (_name, serviceAccountName, fallback, expected) => {
  const spec = serviceAccountName === undefined ? {} : { serviceAccountName };
  expect(serviceAccountOf(helmRelease(spec), fallback)).toBe(expected);
});

test('objects of one cluster share a key, and what is for an unknown one has none', () => {
  const keysOf = (kubeConfig: ApplyingSpec['kubeConfig'], uid?: string): string[] => {
    const object = helmRelease(kubeConfig === undefined ? {} : { kubeConfig });
    const annotations = uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid };
    return clusterKeys({ ...object, metadata: { ...object.metadata, annotations } });
  };
  expect(keysOf(undefined)).toEqual(['host']);
  expect(keysOf({ secretRef: { name: 'eu' } })).toEqual(keysOf({ secretRef: { name: 'eu', key: 'value.yaml' } }));
  expect(keysOf({ secretRef: { name: 'eu' } })).not.toEqual(keysOf({ secretRef: { name: 'us' } }));
  const shared = keysOf({ secretRef: { name: 'us' } }, 'u').filter((key) => keysOf(undefined, 'u').includes(key));
  expect(shared).toEqual(['uid u']);
  expect(keysOf({ secretRef: { name: '' } }, 'u')).toEqual([]);
});
