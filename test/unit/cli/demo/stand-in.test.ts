import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import type { KubeObject } from '../../../../api/meta.js';
import { withoutMembers } from '../../../../cli/demo/stand-in.js';

function application(deploy: string): KubeObject {
  const text = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata: { name: web, namespace: shop }
spec: { fluxApp: { spec: { config: { helmRelease: { deploy: ${deploy} } } } } }
`;
  return load(text) as KubeObject;
}

describe('withoutMembers', () => {
  test('replaces a member by a namespace of the host that is named after it', () => {
    const before = application(
      '[{ destination: { kubeConfig: { secretRef: { name: stage-kubeconfig } }, targetNamespace: app }, interval: 1m }]',
    );
    expect(withoutMembers(before)).toEqual(
      application('[{ destination: { targetNamespace: app-stage }, interval: 1m }]'),
    );
  });

  test('leaves destinations on the host and an empty kubeConfig as they are', () => {
    const before = application('[{ destination: { targetNamespace: app } }, { destination: { kubeConfig: } }]');
    expect(withoutMembers(before)).toEqual(before);
  });

  test('does not change its input', () => {
    const before = application(
      '[{ destination: { kubeConfig: { secretRef: { name: prod } }, targetNamespace: app } }]',
    );
    const copy = structuredClone(before);
    withoutMembers(before);
    expect(before).toEqual(copy);
  });

  test('leaves objects of other kinds alone', () => {
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'dbpass' } };
    expect(withoutMembers(secret)).toBe(secret);
  });
});
