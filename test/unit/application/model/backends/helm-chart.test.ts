import { describe, expect, it } from '@jest/globals';
import { chartFields, ignoredOfChart } from '#controllers/application/model/backends/fields.js';
import { chartFrom } from '../builders.js';

describe('the chart of a release', () => {
  const given = { chart: 'web', version: '1.x', valuesFiles: ['eu.yaml'] };

  it('is looked up in a repository, at an interval of its own', () => {
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' };
    const app = chartFrom('HelmRepository', given);
    expect(chartFields(app)).toEqual({ chart: { spec: { ...given, interval: '10m', sourceRef } } });
    expect(ignoredOfChart(app)).toBeUndefined();
  });

  it('is an OCI artifact itself, of which nothing is left to choose', () => {
    const app = chartFrom('OCIRepository', given);
    expect(chartFields(app)).toEqual({ chartRef: { kind: 'OCIRepository', name: 'charts', namespace: 'shop' } });
    expect(ignoredOfChart(app)).toBe(
      'chart.version, chart.valuesFiles ignored, OCIRepository shop/charts is the chart itself',
    );
    expect(ignoredOfChart(chartFrom('OCIRepository', { chart: 'web' }))).toBeUndefined();
  });
});
