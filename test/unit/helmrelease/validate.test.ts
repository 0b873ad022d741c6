import { describe, expect, test } from '@jest/globals';
import { HelmReleaseSpec as SpecSchema } from '#api/flux/helm-release.js';
import { findViolation, WITHOUT_EFFECT } from '#controllers/helmrelease/validate.js';
import type { HelmReleaseSpec } from '#controllers/helmrelease/model/types.js';
import { filesBelow, textOf } from '../../meta/repository.js';
import { helmRelease } from './model/builders.js';

const CHECK = { apiVersion: 'example.com/v1', kind: 'Thing', current: 'true' };

test.each<[string, Partial<HelmReleaseSpec>]>([
  ['spec.install.serverSideApply', { install: { serverSideApply: false } }],
  ['spec.upgrade.serverSideApply', { upgrade: { serverSideApply: 'disabled' } }],
  ['spec.rollback.serverSideApply', { rollback: { serverSideApply: 'disabled' } }],
  ['spec.waitStrategy.name', { waitStrategy: { name: 'legacy' } }],
])('%s is refused by name, with a way out', (field, spec) => {
  expect(findViolation(helmRelease(spec))).toEqual({
    reason: field.endsWith('serverSideApply') ? 'ClientSideApplyRefused' : 'FeatureNotSupported',
    message: expect.stringMatching(new RegExp(`^${field.replace(/[.[\]]/g, '\\$&')} is not supported .*: \\w`)),
  });
});

test.each<[string, Partial<HelmReleaseSpec>]>([
  ['nothing special', {}],
  ['defaults written out', { install: { serverSideApply: true }, upgrade: { serverSideApply: 'auto' } }],
  ['post renderers', { postRenderers: [{ kustomize: { images: [{ name: 'a' }] } }], postRenderStrategy: 'nohooks' }],
  ['a service account', { serviceAccountName: 'deployer' }],
  ['drift detection', { driftDetection: { mode: 'warn' } }],
  ['the way of waiting that there is', { waitStrategy: { name: 'poller' } }],
  ['expressions', { dependsOn: [{ name: 'db', readyExpr: 'true' }], healthCheckExprs: [CHECK] }],
  ['empty lists', { postRenderers: [], healthCheckExprs: [], dependsOn: [] }],
])('%s is accepted', (_name, spec) => {
  expect(findViolation(helmRelease(spec))).toBeUndefined();
});

test('a spec with neither chart nor chartRef is rejected', () => {
  const spec = { interval: '10m' };
  expect(findViolation(helmRelease({}, { spec }))?.message).toContain('exactly one of spec.chart and spec.chartRef');
});

/** Where the fields of a HelmRelease are read. */
const ENGINE_FOLDERS = ['controllers/helmrelease', 'controllers/source', 'engine'];

describe('every field has a fate', () => {
  /** What is read, whole or refused in part; steps are listed by their fields. */
  const READ = [
    ...['chart', 'chartRef', 'interval', 'kubeConfig', 'targetNamespace', 'timeout', 'suspend', 'releaseName'],
    ...['storageNamespace', 'dependsOn', 'maxHistory', 'serviceAccountName', 'driftDetection', 'valuesFrom', 'values'],
    ...['postRenderers', 'postRenderStrategy', 'commonMetadata', 'waitStrategy', 'healthCheckExprs'],
    ...stepFields('install', ['createNamespace', 'crds', 'skipCRDs', 'remediation', 'strategy', 'serverSideApply']),
    ...stepFields('install', ['disableSchemaValidation', 'disableTakeOwnership', 'disableWaitForJobs']),
    ...stepFields('install', ['disableHooks', 'disableWait', 'timeout']),
    ...stepFields('upgrade', ['chartNameChangeStrategy', 'cleanupOnFail', 'crds', 'preserveValues']),
    ...stepFields('upgrade', ['disableSchemaValidation', 'disableTakeOwnership', 'disableWaitForJobs']),
    ...stepFields('upgrade', ['disableHooks', 'disableWait', 'timeout', 'remediation', 'strategy', 'serverSideApply']),
    ...stepFields('test', ['enable', 'filters', 'ignoreFailures', 'timeout']),
    ...stepFields('rollback', ['cleanupOnFail', 'serverSideApply', 'timeout']),
    ...stepFields('rollback', ['disableHooks', 'disableWait', 'disableWaitForJobs']),
    ...stepFields('uninstall', ['deletionPropagation', 'disableHooks', 'disableWait', 'keepHistory', 'timeout']),
  ];

  test('a field of the API is read, rejected, or listed as without effect', () => {
    expect([...READ, ...Object.keys(WITHOUT_EFFECT)].sort()).toEqual(fieldsOfSpec().sort());
  });

  test('a field that is read is named by the code that reads it', () => {
    const words = new Set(ENGINE_FOLDERS.flatMap(filesBelow).flatMap(wordsOfCode));
    expect(READ.flatMap((field) => field.split('.')).filter((word) => !words.has(word))).toEqual([]);
  });

  test.each<[string, Partial<HelmReleaseSpec>]>([
    ['persistentClient', { persistentClient: false }],
    ['install.replace', { install: { replace: true } }],
    ['install.disableOpenAPIValidation', { install: { disableOpenAPIValidation: true } }],
    ['upgrade.disableOpenAPIValidation', { upgrade: { disableOpenAPIValidation: true } }],
    ['rollback.recreate', { rollback: { recreate: true } }],
  ])('%s is without effect, and accepted', (field, spec) => {
    expect(WITHOUT_EFFECT[field]).toMatch(/\w/);
    expect(findViolation(helmRelease(spec))).toBeUndefined();
  });
});

/** The words of a source file, without those of its comments. */
function wordsOfCode(file: string): string[] {
  const code = textOf(file).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
  return code.match(/\w+/g) ?? [];
}

function stepFields(step: string, fields: readonly string[]): string[] {
  return fields.map((field) => `${step}.${field}`);
}

function fieldsOfSpec(): string[] {
  const { install, upgrade, test: tests, rollback, uninstall, ...others } = SpecSchema.properties;
  const steps = { install, upgrade, test: tests, rollback, uninstall };
  return [
    ...Object.keys(others),
    ...Object.entries(steps).flatMap(([name, { properties }]) => stepFields(name, Object.keys(properties))),
  ];
}
