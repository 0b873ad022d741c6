import { describe, expect, test } from '@jest/globals';
import { KustomizationSpec as SpecSchema, type KustomizationSpec } from '#api/flux/kustomization.js';
import { UNSUPPORTED, findViolation } from '#controllers/kustomization/validate.js';
import { filesBelow, textOf } from '../../meta/repository.js';
import { kustomization } from './model/builders.js';

const CLOSED = { allowCrossNamespace: false };

test.each<[string, Partial<KustomizationSpec>]>([
  ['spec.decryption.serviceAccountName', { decryption: { provider: 'sops', serviceAccountName: 'a' } }],
  ['spec.kubeConfig.configMapRef', { kubeConfig: { configMapRef: { name: 'a' } } }],
])('%s is rejected by name, with a way out', (field, spec) => {
  const refusal = findViolation(kustomization(spec), CLOSED);
  expect(refusal?.reason).toBe('FeatureNotSupported');
  expect(refusal?.message).toBe(`${field} is not supported by the embedded engine: ${UNSUPPORTED[field] ?? ''}`);
});

test.each<[string, Partial<KustomizationSpec>, string, string]>([
  [
    'a source elsewhere',
    { sourceRef: { kind: 'GitRepository', name: 'a', namespace: 'b' } },
    'AccessDenied',
    "can't access 'GitRepository/b/a'",
  ],
  [
    'an expression about elsewhere',
    { dependsOn: [{ name: 'a', namespace: 'b', readyExpr: 'true' }] },
    'AccessDenied',
    'spec.dependsOn[0].readyExpr',
  ],
  [
    'an expression that is none',
    { dependsOn: [{ name: 'a', readyExpr: 'dep.x ==' }] },
    'InvalidCELExpression',
    'spec.dependsOn[0].readyExpr',
  ],
  [
    'a kubeconfig that names no Secret',
    { kubeConfig: { secretRef: { name: '' } } },
    'KubeConfigInvalid',
    'does not name a Secret',
  ],
  [
    'what would be looked for too often',
    { ignore: [{ paths: Array.from({ length: 200 }, (_, index) => `/a${index}`) }, { paths: [] }] },
    'ReconciliationFailed',
    'spec.ignore has 201 paths, and at most 200',
  ],
])('%s is rejected', (_title, spec, reason, message) => {
  expect(findViolation(kustomization(spec), CLOSED)).toMatchObject({
    reason,
    message: expect.stringContaining(message),
  });
});

test.each<[string, Partial<KustomizationSpec>]>([
  ['nothing special', {}],
  ['a source elsewhere, where that is allowed', { sourceRef: { kind: 'GitRepository', name: 'a', namespace: 'b' } }],
  ['fields to ignore', { ignore: [{ paths: ['/spec/replicas'] }] }],
  ['empty lists', { ignore: [], dependsOn: [] }],
])('%s is accepted', (_title, spec) => {
  expect(findViolation(kustomization(spec), { allowCrossNamespace: true })).toBeUndefined();
});

describe('every field has a fate', () => {
  const FIELDS = Object.keys(SpecSchema.properties);
  const refused = new Set(Object.keys(UNSUPPORTED).map((field) => field.split('.')[1] ?? ''));

  test('a field of the API is read, or rejected', () => {
    const words = new Set(
      ['controllers/kustomization', 'engine/flux'].flatMap(filesBelow).flatMap((file) => {
        const code = textOf(file).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
        return code.match(/\w+/g) ?? [];
      }),
    );
    expect(FIELDS.filter((field) => !refused.has(field) && !words.has(field))).toEqual([]);
  });
});
