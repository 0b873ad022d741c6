import { expect, test } from '@jest/globals';
import type { Kustomization, KustomizationSpec } from '#api/flux/kustomization.js';
import { NOT_SUPPORTED, refusalOf } from '#controllers/flux/kustomization/model/refusal.js';

function kustomization(spec: Partial<KustomizationSpec> = {}): Kustomization {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'site', namespace: 'shop', generation: 1 },
    spec: { sourceRef: { kind: 'GitRepository', name: 'fleet' }, interval: '10m', prune: true, ...spec },
  };
}

test.each<[string, Partial<KustomizationSpec>, string, string]>([
  ['one that is well', {}, 'FeatureNotSupported', NOT_SUPPORTED],
  ['one that depends on another', { dependsOn: [{ name: 'dns' }] }, 'FeatureNotSupported', NOT_SUPPORTED],
  [
    'one with a short-lived token',
    { kubeConfig: { configMapRef: { name: 'eu' } } },
    'FeatureNotSupported',
    NOT_SUPPORTED,
  ],
  [
    'one whose kubeConfig names nothing',
    { kubeConfig: {} },
    'KubeConfigInvalid',
    'spec.kubeConfig does not name a Secret',
  ],
  [
    'one with an expression that does not compile',
    { dependsOn: [{ name: 'dns', readyExpr: 'dep.status ==' }] },
    'InvalidCELExpression',
    'spec.dependsOn[0].readyExpr',
  ],
])('%s is refused with its reason', (_name, spec, reason, text) => {
  const refused = refusalOf(kustomization(spec), { allowCrossNamespace: true });
  expect([refused.reason, refused.message]).toEqual([reason, expect.stringContaining(text)]);
});

test.each([
  ['where it may not', false, 'AccessDenied'],
  ['where it may, not for that', true, 'FeatureNotSupported'],
])('one that reads another namespace is refused %s', (_name, allowCrossNamespace, reason) => {
  const dependsOn = [{ name: 'dns', namespace: 'infra', readyExpr: 'true' }];
  expect(refusalOf(kustomization({ dependsOn }), { allowCrossNamespace }).reason).toBe(reason);
});
