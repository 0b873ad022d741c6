import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { FORM_CHECKS, sourceIsElsewhere, sourceIsMissing } from '#controllers/application/model/spec/source-checks.js';
import { application, CHART, deploy, SOURCE } from '../builders.js';

const helmRelease = { chart: CHART, deploy: [deploy('prod')] };
const fluxApp = (spec: NonNullable<Application['spec']['fluxApp']>['spec']): Application =>
  application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } });

const INLINE = { repo: 'https://charts.example.com', chart: 'web' };
const inlined = (source: object, release: object = {}): Application =>
  fluxApp({ source: { inline: INLINE, ...source }, config: { helmRelease: { deploy: [deploy('prod')], ...release } } });

describe('an Application for Flux', () => {
  it.each<[string, string[], Application]>([
    ['has its part and one config', [], fluxApp({ config: { helmRelease } })],
    ['misses its part', ['ConfigMissing', 'ConfigMissing'], application([], { spec: { kind: 'fluxcd' } })],
    ['misses a config', ['ConfigMissing'], fluxApp({ config: {} })],
    ['has an inline source', [], inlined({})],
    ['has another source', ['SourceAmbiguous'], inlined({ sourceRef: SOURCE.sourceRef })],
    ['has a chart twice', ['SourceAmbiguous'], inlined({}, { chart: CHART })],
    ['has a chart and a template', ['SourceAmbiguous'], inlined({}, { template: 't' })],
    [
      'has files of a chart',
      ['SourceUnsuitable'],
      fluxApp({ source: { inline: INLINE }, config: { kustomization: [] } }),
    ],
    ['has an inline source that is not valid', ['ChartMissing'], inlined({ inline: { repo: INLINE.repo } })],
    ['has two configs', ['ConfigAmbiguous'], fluxApp({ config: { helmRelease, kustomization: [] } })],
  ])('%s', (_, reasons, app) => {
    const found = FORM_CHECKS.flatMap((check) => check(app, { allowCrossNamespace: false }) ?? []);
    expect(found.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('needs a source that it may read, unless a template brings one', () => {
    const none = fluxApp({ config: { helmRelease } });
    const other = fluxApp({
      source: { sourceRef: { ...SOURCE.sourceRef, namespace: 'other' } },
      config: { helmRelease },
    });
    const reasons = [true, false].map((uses) => [
      sourceIsMissing(() => uses)(none, { allowCrossNamespace: false })?.reason,
      sourceIsElsewhere(() => uses)(other, { allowCrossNamespace: false })?.reason,
      sourceIsElsewhere(() => uses)(other, { allowCrossNamespace: true })?.reason,
    ]);
    expect(reasons).toEqual([
      ['SourceMissing', 'AccessDenied', undefined],
      [undefined, undefined, undefined],
    ]);
  });
});
