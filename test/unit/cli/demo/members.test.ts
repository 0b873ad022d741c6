import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import type { KubeObject } from '#api/meta.js';
import { withMembers } from '#cli/local/model/placement.js';

function application(deploy: string): KubeObject {
  const text = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata: { name: web, namespace: shop }
spec: { fluxApp: { spec: { config: { helmRelease: { deploy: ${deploy} } } } } }
`;
  return load(text) as KubeObject;
}

describe('withMembers', () => {
  test('replaces a member by a namespace of the host that is named after it', () => {
    const before = application(
      '[{ destination: { kubeConfig: { secretRef: { name: stage-kubeconfig } }, targetNamespace: app }, interval: 1m }]',
    );
    expect(withMembers(before, [])).toEqual(
      application('[{ destination: { targetNamespace: app-stage }, interval: 1m }]'),
    );
  });

  test('leaves a member that there is, and replaces the other', () => {
    const before = application(
      '[{ destination: { kubeConfig: { secretRef: { name: stage-kubeconfig } }, targetNamespace: app } }, { destination: { kubeConfig: { secretRef: { name: prod-kubeconfig } }, targetNamespace: app } }]',
    );
    expect(withMembers(before, ['stage-kubeconfig'])).toEqual(
      application(
        '[{ destination: { kubeConfig: { secretRef: { name: stage-kubeconfig } }, targetNamespace: app } }, { destination: { targetNamespace: app-prod } }]',
      ),
    );
  });

  test('leaves destinations on the host and an empty kubeConfig as they are', () => {
    const before = application('[{ destination: { targetNamespace: app } }, { destination: { kubeConfig: } }]');
    expect(withMembers(before, [])).toEqual(before);
  });

  test('gives each further member a copy of the last entry for a member', () => {
    const stage = '{ destination: { kubeConfig: { secretRef: { name: stage-kubeconfig } }, targetNamespace: app } }';
    const third = stage.replace('stage', 'member-3');
    const before = application(`[${stage}, { destination: { targetNamespace: app } }]`);
    expect(withMembers(before, ['stage-kubeconfig', 'member-3-kubeconfig'])).toEqual(
      application(`[${stage}, { destination: { targetNamespace: app } }, ${third}]`),
    );
    const onHost = application('[{ destination: { targetNamespace: app } }]');
    expect(withMembers(onHost, ['stage-kubeconfig'])).toEqual(onHost);
  });

  test('does not change its input', () => {
    const before = application(
      '[{ destination: { kubeConfig: { secretRef: { name: prod } }, targetNamespace: app } }]',
    );
    const copy = structuredClone(before);
    withMembers(before, []);
    expect(before).toEqual(copy);
  });

  test('leaves objects of other kinds alone', () => {
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'dbpass' } };
    expect(withMembers(secret, [])).toBe(secret);
  });
});
