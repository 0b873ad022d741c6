import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { findViolation } from '#controllers/application/model/validate.js';
import { application, CHART, deploy, files, GIT_SOURCE, SOURCE, withStatus } from './builders.js';

type FluxSpec = NonNullable<NonNullable<Application['spec']['fluxApp']>['spec']>;

function flux(spec: FluxSpec): Application {
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } });
}

const release = { chart: CHART, deploy: [deploy('prod')] };

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
    [
      'with chart and template',
      'ChartAndTemplate',
      flux({ source: SOURCE, config: { helmRelease: { ...release, template: 't' } } }),
    ],
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
      flux({ source: { sourceRef: { ...SOURCE.sourceRef, namespace: 'other' } }, config: { helmRelease: release } }),
    ],
    [
      'with a bad range',
      'InvalidVersion',
      flux({ source: SOURCE, config: { helmRelease: { ...release, chart: { chart: 'a', version: 'one' } } } }),
    ],
    [
      'with a chart, and an empty text for a template',
      undefined,
      flux({ source: SOURCE, config: { helmRelease: { ...release, template: '' } } }),
    ],
    [
      'with files, and an empty text for their template',
      'SourceMissing',
      flux({ config: { kustomization: [files('prod', undefined, { template: '' })] } }),
    ],
    [
      'with a branch for the version of a chart from git, which has none',
      undefined,
      flux({ source: GIT_SOURCE, config: { helmRelease: { ...release, chart: { chart: 'a', version: 'main' } } } }),
    ],
    [
      'with an empty text for a version',
      undefined,
      flux({ source: SOURCE, config: { helmRelease: { ...release, chart: { chart: 'a', version: '' } } } }),
    ],
    [
      'that names who matchRules its chart',
      'VerifyUnsupported',
      flux({
        source: SOURCE,
        config: {
          helmRelease: { ...release, chart: { chart: 'a', verify: { matchOIDCIdentity: [] } } },
        },
      }),
    ],
    ['without entries', 'DeployEmpty', application([])],
  ])('%s: %s', (_, reason, app) => {
    expect(findViolation(app, { allowCrossNamespace: false })?.reason).toBe(reason);
  });
});
