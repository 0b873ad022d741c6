import { expect, test } from '@jest/globals';
import { refusalOf } from '../../../../../controllers/flux/helmrelease/model/refusals.js';
import type { HelmReleaseSpec } from '../../../../../controllers/flux/helmrelease/model/types.js';
import { helmRelease } from './builders.js';

test.each<[string, Partial<HelmReleaseSpec>]>([
  ['spec.install.serverSideApply', { install: { serverSideApply: false } }],
  ['spec.upgrade.serverSideApply', { upgrade: { serverSideApply: 'disabled' } }],
  ['spec.rollback.serverSideApply', { rollback: { serverSideApply: 'disabled' } }],
  ['spec.serviceAccountName', { serviceAccountName: 'deployer' }],
  ['spec.postRenderers', { postRenderers: [{}] }],
  ['spec.driftDetection.mode', { driftDetection: { mode: 'warn' } }],
  ['spec.install.disableTakeOwnership', { upgrade: { disableTakeOwnership: true } }],
  ['spec.postRenderStrategy', { postRenderStrategy: 'nohooks' }],
  ['spec.upgrade.preserveValues', { upgrade: { preserveValues: true } }],
  ['spec.dependsOn[].readyExpr', { dependsOn: [{ name: 'db', readyExpr: 'true' }] }],
])('%s is refused by name, with a way out', (field, spec) => {
  expect(refusalOf(helmRelease(spec))).toEqual({
    reason: field.endsWith('serverSideApply') ? 'ClientSideApplyRefused' : 'FeatureNotSupported',
    message: expect.stringMatching(new RegExp(`^${field.replace(/[.[\]]/g, '\\$&')} is not supported .*: \\w`)),
  });
});

test.each<[string, Partial<HelmReleaseSpec>]>([
  ['nothing special', {}],
  ['defaults written out', { install: { serverSideApply: true }, upgrade: { serverSideApply: 'auto' } }],
  ['drift detection switched off', { driftDetection: { mode: 'disabled' } }],
  ['empty lists', { postRenderers: [], healthCheckExprs: [], dependsOn: [] }],
])('%s is accepted', (_name, spec) => {
  expect(refusalOf(helmRelease(spec))).toBeUndefined();
});

test('neither chart nor chartRef is refused', () => {
  const spec = { interval: '10m' };
  expect(refusalOf(helmRelease({}, { spec }))?.message).toContain('exactly one of spec.chart and spec.chartRef');
});

test('a chartRef to an OCIRepository is refused by name', () => {
  const spec = { interval: '10m', chartRef: { kind: 'OCIRepository' as const, name: 'x' } };
  expect(refusalOf(helmRelease({}, { spec }))?.message).toContain('spec.chartRef.kind');
});
