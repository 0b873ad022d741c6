import { describe, expect, it } from '@jest/globals';
import type { Application } from '../../../../api/v1alpha1/application.js';
import { findViolation } from '../../../../controllers/application/model/validate.js';
import { isVersionRange } from '../../../../controllers/application/model/version-range.js';
import { entriesOf } from '../../../../controllers/application/model/entries.js';
import { rejectedEntries } from '../../../../controllers/application/model/reject.js';
import { application, CHART, deploy, SOURCE, withStatus, type Deploy } from './builders.js';

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
    ['with a kustomization', 'KustomizationNotSupported', flux({ source: SOURCE, config: { kustomization: [] } })],
    [
      'with chart and template',
      'ChartAndTemplate',
      flux({ source: SOURCE, config: { helmRelease: { ...release, template: 't' } } }),
    ],
    ['with neither', 'ChartMissing', flux({ source: SOURCE, config: { helmRelease: { deploy: [deploy('prod')] } } })],
    [
      'with a template',
      'TemplateNotFound',
      flux({ config: { helmRelease: { template: 't', deploy: [deploy('prod')] } } }),
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
    ['without entries', 'DeployEmpty', application([])],
  ])('%s: %s', (_, reason, app) => {
    expect(findViolation(app, { allowCrossNamespace: false })?.reason).toBe(reason);
  });

  it.each([
    '1.2.3',
    'v1.2.3',
    '*',
    '5.*',
    '1.x',
    '~1.2',
    '^1',
    '>=1.2 <2',
    '>=1.2, <2',
    '1.2 - 1.4',
    '!=1.3.0',
    '=>1.0',
    '1.2.3-rc.1',
  ])('takes the version %s', (version) => {
    expect(isVersionRange(version)).toBe(true);
  });

  it.each(['latest', 'one', '1.2.3.4', '>', 'v'])('refuses the version %s', (version) => {
    expect(isVersionRange(version)).toBe(false);
  });
});

describe('an entry', () => {
  it.each<[string, string, Deploy]>([
    ['without destination', 'DestinationMissing', {}],
    ['whose kubeConfig is empty', 'DestinationMissing', { destination: { kubeConfig: {} } }],
    ['with a bad target namespace', 'InvalidName', deploy('Prod')],
    ['with a bad storage namespace', 'InvalidName', deploy('prod', undefined, { storageNamespace: 'a.b' })],
    [
      'with a release name over 53 characters',
      'InvalidName',
      deploy('prod', undefined, { releaseName: 'a'.repeat(54) }),
    ],
    [
      'that installs with client-side apply',
      'ClientSideApplyRefused',
      deploy('prod', undefined, { install: { serverSideApply: false } }),
    ],
    [
      'that upgrades with client-side apply',
      'ClientSideApplyRefused',
      deploy('prod', undefined, { upgrade: { serverSideApply: 'disabled' } }),
    ],
  ])('%s is rejected with %s, by its path', (_, reason, entry) => {
    const entries = entriesOf(application([deploy('good'), entry]));
    const [rejected, ...others] = rejectedEntries(entries);
    expect(others).toEqual([]);
    expect(rejected?.violation.reason).toBe(reason);
    expect(rejected?.violation.message).toContain('spec.fluxApp.spec.config.helmRelease.deploy[1].');
  });

  it('takes what the Application says for all, and its own word first', () => {
    const config = {
      suspend: true,
      timeout: '1m',
      helmRelease: { chart: CHART, deploy: [{}, deploy('own', undefined, { timeout: '2m' })] },
    };
    const spec = { interval: '1h', destination: { targetNamespace: 'shared' }, source: SOURCE, config };
    const entries = entriesOf(flux(spec));
    expect(entries.map(({ targetNamespace, fields }) => ({ targetNamespace, fields }))).toEqual([
      { targetNamespace: 'shared', fields: { interval: '1h', suspend: true, timeout: '1m' } },
      { targetNamespace: 'own', fields: { interval: '1h', suspend: true, timeout: '2m' } },
    ]);
  });
});
