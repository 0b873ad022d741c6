import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { warningsOf } from '#controllers/application/model/warnings.js';
import { chartFrom } from './builders.js';

describe('the warning in the message of Ready', () => {
  it.each<[string, Application, string | undefined]>([
    [
      'the ignored fields of a chart that is an OCI artifact',
      chartFrom('OCIRepository', { chart: 'web', version: '1.x', valuesFiles: ['eu.yaml'] }),
      'chart.version, chart.valuesFiles ignored, OCIRepository shop/charts is the chart itself',
    ],
    ['nothing if no such field is set', chartFrom('OCIRepository', { chart: 'web' }), undefined],
    ['nothing for a chart of a repository', chartFrom('HelmRepository', { chart: 'web', version: '1.x' }), undefined],
  ])('is %s', (_, app, warning) => {
    expect(warningsOf(app, undefined)).toBe(warning);
  });

  it('follows that of a template', () => {
    const app = chartFrom('OCIRepository', { chart: 'web', version: '1.x' });
    expect(warningsOf(app, 'source is ignored')).toMatch(/^source is ignored; chart.version ignored/);
  });
});
