import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { findViolation } from '#controllers/application/model/validate.js';
import { application, CHART, deploy, files, GIT_SOURCE, SOURCE, withStatus } from './builders.js';

type FluxSpec = NonNullable<NonNullable<Application['spec']['fluxApp']>['spec']>;

function flux(spec: FluxSpec): Application {
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } });
}

const release = { chart: CHART, deploy: [deploy('prod')] };

/** With a chart and a source, but for these fields. */
function charted(more: object, source: FluxSpec['source'] = SOURCE): Application {
  return flux({ source, config: { helmRelease: { ...release, ...more } } });
}

describe('an Application as a whole', () => {
  it.each<[string, string | undefined, Application]>([
    ['is fine', undefined, application([deploy('prod')])],
    ['without kind and engines', 'KindUnclear', application([], { spec: {} })],
    [
      'without kind, with both engines',
      'KindUnclear',
      application([], { spec: { argoApp: {}, fluxApp: { spec: { config: {} } } } }),
    ],
    [
      'without kind, with fluxApp alone',
      undefined,
      application([], { spec: { fluxApp: { spec: { source: SOURCE, config: { helmRelease: release } } } } }),
    ],
    ['for Argo CD', 'EngineNotAvailable', application([], { spec: { argoApp: {} } })],
    ['that began with another kind', 'KindChanged', withStatus(application([deploy('prod')]), { kind: 'argocd' })],
    ['of kind fluxcd without fluxApp', 'ConfigMissing', application([], { spec: { kind: 'fluxcd' } })],
    ['with an empty config', 'ConfigMissing', application([], { spec: { fluxApp: { spec: { config: {} } } } })],
    [
      'with helmRelease and kustomization',
      'ConfigAmbiguous',
      flux({ source: SOURCE, config: { helmRelease: release, kustomization: [] } }),
    ],
    ['without files', 'DeployEmpty', flux({ source: GIT_SOURCE, config: { kustomization: [] } })],
    [
      'with files of a chart repository',
      'SourceUnsuitable',
      flux({ source: SOURCE, config: { kustomization: [files()] } }),
    ],
    ['with chart and template', 'ChartAndTemplate', charted({ template: 't' })],
    ['with neither', 'ChartMissing', flux({ source: SOURCE, config: { helmRelease: { deploy: [deploy('prod')] } } })],
    [
      'with a template and nowhere to go',
      'DeployEmpty',
      flux({ config: { helmRelease: { template: 't', deploy: [] } } }),
    ],
    ['without a source', 'SourceMissing', flux({ config: { helmRelease: release } })],
    [
      'with a source elsewhere',
      'AccessDenied',
      charted({}, { sourceRef: { ...SOURCE.sourceRef, namespace: 'other' } }),
    ],
    ['with a bad range', 'InvalidVersion', charted({ chart: { chart: 'a', version: 'one' } })],
    ['with a chart, and an empty text for a template', undefined, charted({ template: '' })],
    [
      'with files, and an empty text for their template',
      'SourceMissing',
      flux({ config: { kustomization: [files('prod', undefined, { template: '' })] } }),
    ],
    [
      'with a branch for the version of a chart from git, which has none',
      undefined,
      charted({ chart: { chart: 'a', version: 'main' } }, GIT_SOURCE),
    ],
    ['with an empty text for a version', undefined, charted({ chart: { chart: 'a', version: '' } })],
    [
      'that names who signs its chart',
      'VerifyUnsupported',
      charted({ chart: { chart: 'a', verify: { matchOIDCIdentity: [] } } }),
    ],
    ['without entries', 'DeployEmpty', application([])],
  ])('%s: %s', (_, reason, app) => {
    expect(findViolation(app, { allowCrossNamespace: false })?.reason).toBe(reason);
  });
});
