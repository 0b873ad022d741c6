import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { warningsOf } from '#controllers/application/model/warnings.js';
import { application, deploy, SOURCE } from './builders.js';

type Chart = NonNullable<
  NonNullable<NonNullable<Application['spec']['fluxApp']>['spec']['config']['helmRelease']>['chart']
>;

function using(kind: 'OCIRepository' | 'HelmRepository', chart: Chart): Application {
  const helmRelease = { chart, deploy: [deploy('prod')] };
  const source = { sourceRef: { ...SOURCE.sourceRef, kind } };
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec: { source, config: { helmRelease } } } } });
}

describe('what is said beside Ready', () => {
  it.each<[string, Application, string | undefined]>([
    [
      'what an OCI artifact leaves no choice of',
      using('OCIRepository', { chart: 'web', version: '1.x', valuesFiles: ['eu.yaml'] }),
      'chart.version, chart.valuesFiles ignored, OCIRepository shop/charts is the chart itself',
    ],
    ['nothing where nothing was chosen', using('OCIRepository', { chart: 'web' }), undefined],
    ['nothing of a chart of a repository', using('HelmRepository', { chart: 'web', version: '1.x' }), undefined],
  ])('is %s', (_, app, warning) => {
    expect(warningsOf(app, undefined)).toBe(warning);
  });

  it('comes after what there is to say of a template', () => {
    const app = using('OCIRepository', { chart: 'web', version: '1.x' });
    expect(warningsOf(app, 'source is ignored')).toMatch(/^source is ignored; chart.version ignored/);
  });
});
