import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { chartFields, ignoredOfChart } from '#controllers/application/model/backends/helm-chart.js';
import { application, deploy, SOURCE } from '../builders.js';

type Chart = NonNullable<
  NonNullable<NonNullable<Application['spec']['fluxApp']>['spec']['config']['helmRelease']>['chart']
>;

function using(kind: 'OCIRepository' | 'HelmRepository', chart: Chart): Application {
  const helmRelease = { chart, deploy: [deploy('prod')] };
  const source = { sourceRef: { ...SOURCE.sourceRef, kind } };
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec: { source, config: { helmRelease } } } } });
}

describe('the chart of a release', () => {
  const given = { chart: 'web', version: '1.x', valuesFiles: ['eu.yaml'] };

  it('is looked up in a repository, at an interval of its own', () => {
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' };
    const app = using('HelmRepository', given);
    expect(chartFields(app)).toEqual({ chart: { spec: { ...given, interval: '10m', sourceRef } } });
    expect(ignoredOfChart(app)).toBeUndefined();
  });

  it('is an OCI artifact itself, of which nothing is left to choose', () => {
    const app = using('OCIRepository', given);
    expect(chartFields(app)).toEqual({ chartRef: { kind: 'OCIRepository', name: 'charts', namespace: 'shop' } });
    expect(ignoredOfChart(app)).toMatch(/^chart.version, chart.valuesFiles ignored, OCIRepository shop.charts/);
  });
});
