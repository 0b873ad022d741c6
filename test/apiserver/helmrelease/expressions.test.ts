import { expect, test } from '@jest/globals';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { ResourceType } from '#api/meta.js';
import { eventually } from '../../support/world.js';
import type { ChartFiles } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const GAUGES: ResourceType = {
  group: 'expressions.example.com',
  version: 'v1',
  kind: 'Gauge',
  plural: 'gauges',
  namespaced: true,
};

/** A kind whose health kstatus cannot know: it has no conditions. */
const GAUGE: ChartFiles = {
  'crds/gauge.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gauges.expressions.example.com
spec:
  group: expressions.example.com
  names: {kind: Gauge, plural: gauges}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`,
  'templates/gauge.yaml': `apiVersion: expressions.example.com/v1
kind: Gauge
metadata:
  name: {{ .Release.Name }}
spec: {level: 3}
`,
};

const CHECK = {
  apiVersion: 'expressions.example.com/v1',
  kind: 'Gauge',
  failed: "has(status.phase) && status.phase == 'Broken'",
  current: 'status.level >= spec.level',
};

const harness = useHarness('hr-cel', { charts: { gauge: GAUGE, empty: { 'templates/none.yaml': '' } } });

function chartOf(chart: string): Partial<HelmRelease['spec']> {
  return { chart: { spec: { chart, version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } };
}

/** What the controller of the kind would say. */
async function report(name: string, status: object): Promise<void> {
  const { namespace } = harness;
  await eventually(() =>
    harness.member.patch(GAUGES, { name, namespace }, { type: 'merge', body: { status } }, { fieldManager: 'gauges' }),
  );
}

function expectStalled(release: HelmRelease, message: string): void {
  const expected = { status: 'True', reason: 'InvalidCELExpression', message: expect.stringContaining(message) };
  expect(conditionOf(release, 'Stalled')).toMatchObject(expected);
}

test('a release waits until its own expressions say that its objects are ready', async () => {
  await harness.apply('well', { ...chartOf('gauge'), healthCheckExprs: [CHECK] });
  await report('well', { level: 1 });
  await harness.until('well', (release) => expect(conditionOf(release, 'Reconciling')?.status).toBe('True'));
  await report('well', { level: 3 });
  await harness.untilReady('well');
});

test('an object that failed by them fails the release at once', async () => {
  await harness.apply('ill', { ...chartOf('gauge'), timeout: '10m', healthCheckExprs: [CHECK] });
  await report('ill', { phase: 'Broken' });
  await harness.until('ill', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({
      reason: 'InstallFailed',
      message: expect.stringMatching(/Gauge\/.*ill: Failed: spec\.healthCheckExprs\[0\]\.failed is true/),
    });
  });
});

test('expressions that do not compile stall the release, before anything is done, and it can be deleted', async () => {
  const { namespace } = harness;
  const current = 'status.level >=';
  await Promise.all([
    harness.apply('wrong', { ...chartOf('gauge'), healthCheckExprs: [{ ...CHECK, current }] }),
    harness.apply('unsure', { ...chartOf('empty'), dependsOn: [{ name: 'x', readyExpr: 'dep.metadata.name' }] }),
  ]);
  await harness.until('wrong', (release) => {
    expectStalled(release, 'spec.healthCheckExprs[0].current is not a valid CEL expression: Unexpected token');
  });
  await harness.until('unsure', (release) => {
    expectStalled(release, 'spec.dependsOn[0].readyExpr is not a valid CEL expression: it returns dyn, not bool');
  });
  expect(await harness.member.get(GAUGES, { name: 'wrong', namespace })).toBeUndefined();
  await harness.host.delete(helmReleaseResource, { name: 'wrong', namespace });
  await eventually(async () => {
    expect(await harness.host.get(helmReleaseResource, { name: 'wrong', namespace })).toBeUndefined();
  });
});

test('a readyExpr decides in place of the Ready condition', async () => {
  const { namespace } = harness;
  const dependsOn = [{ name: 'base', readyExpr: "dep.metadata.labels['stage'] == self.spec.values.stage" }];
  await harness.apply('upper', { ...chartOf('empty'), values: { stage: 'done' }, dependsOn });
  await harness.apply('base', chartOf('empty'));
  await harness.untilReady('base');
  const message = /dependency '.*\/base' is not ready: readyExpr: No such key: labels/;
  await harness.until('upper', (release) => {
    const expected = { reason: 'DependencyNotReady', message: expect.stringMatching(message) };
    expect(conditionOf(release, 'Ready')).toMatchObject(expected);
  });
  const body = { metadata: { labels: { stage: 'done' } } };
  await harness.host.patch(helmReleaseResource, { name: 'base', namespace }, { type: 'merge', body });
  await harness.untilReady('upper');
});
