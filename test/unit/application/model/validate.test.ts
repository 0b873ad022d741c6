import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import {
  findViolation,
  haveSameDestinations,
  validate,
  type Validation,
} from '#controllers/application/model/destinations/validate.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { nested } from '../../../support/nested.js';
import { application, CHART, deploy, files, GIT_SOURCE, NO_TEMPLATES, SOURCE, withStatus } from './builders.js';
import { central, inventory, own, selecting } from './clusters/builders.js';

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
    ['with values of 500 levels', 'ValuesInvalid', application([deploy('prod', undefined, { values: nested(500) })])],
    ['with values of 400 levels', undefined, application([deploy('prod', undefined, { values: nested(400) })])],
  ])('%s: %s', (_, reason, app) => {
    expect(findViolation(app, { allowCrossNamespace: false })?.reason).toBe(reason);
  });
});

describe('the destinations of an Application at two moments', () => {
  const PROD = { env: 'prod' };
  const GRANTED = { ...PROD, granted: 'yes' };
  const at = (clusters: readonly Cluster[], more: Partial<ClusterView> = {}): Validation => {
    const lookup = { templates: NO_TEMPLATES, clusters: inventory(clusters, more) };
    return validate(application([selecting(PROD)]), lookup, { allowCrossNamespace: false });
  };
  const before = at([own('eu', PROD), central('us', GRANTED)]);

  it.each<[string, Validation]>([
    ['a cluster that does not match was added', at([own('eu', PROD), own('x'), central('us', GRANTED)])],
    ['a label that nobody asks for changed', at([own('eu', { ...PROD, news: 'none' }), central('us', GRANTED)])],
    [
      'a cluster is not ready',
      at([own('eu', PROD, { readiness: { state: 'NotReady', message: 'x' } }), central('us', GRANTED)]),
    ],
  ])('are the same if %s', (_, after) => expect(haveSameDestinations(before, after)).toBe(true));

  it.each<[string, Validation]>([
    ['a cluster came', at([own('eu', PROD), own('x', PROD), central('us', GRANTED)])],
    ['a cluster no longer matches', at([own('eu'), central('us', GRANTED)])],
    ['a cluster is gone', at([own('eu', PROD)])],
    ['a cluster is paused', at([own('eu', PROD, { isPaused: true }), central('us', GRANTED)])],
    ['a cluster became the host', at([own('eu', PROD), central('us', GRANTED, { isHost: true })])],
    ['a grant was taken back', at([own('eu', PROD), central('us', PROD)])],
    [
      'a grant allows fewer namespaces',
      at([own('eu', PROD), central('us', GRANTED)], { accessOf: () => ({ allowed: true, targetNamespaces: ['web'] }) }),
    ],
    ['the Application is invalid now', { violation: { reason: 'DeployEmpty', message: 'x' } }],
  ])('are others if %s', (_, after) => expect(haveSameDestinations(before, after)).toBe(false));
});

describe('labels for namespaces', () => {
  const namespaceLabels = { team: 'a' };
  const app = application([deploy('prod'), deploy('stage', undefined, { namespaceLabels })]);
  const warningsWith = (isEngineExternal?: boolean): readonly string[] => {
    const lookup = { templates: NO_TEMPLATES, clusters: inventory([]) };
    const valid = validate(app, lookup, { allowCrossNamespace: true, isEngineExternal });
    if (valid === 'pending' || 'violation' in valid) throw new Error('not valid');
    return valid.warnings;
  };

  it('are never ignored without a word: with Flux as the engine, a warning names the field and the entry', () => {
    const [warning, ...others] = warningsWith(true);
    expect(warning).toMatch(/^namespaceLabels .*no effect \(spec.*deploy\[1\]\): Flux is the engine/);
    expect(others).toEqual([]);
  });

  it('need no warning with our own engine', () => {
    expect(warningsWith(false)).toEqual([]);
    expect(warningsWith()).toEqual([]);
  });
});

describe('deletionPolicy Orphan', () => {
  const warningsWith = (deletionPolicy: 'Delete' | 'Orphan' | undefined, isEngineExternal: boolean) => {
    const app = application([deploy('prod')]);
    const spec = { ...app.spec, ...(deletionPolicy === undefined ? {} : { deletionPolicy }) };
    const lookup = { templates: NO_TEMPLATES, clusters: inventory([]) };
    const valid = validate({ ...app, spec }, lookup, { allowCrossNamespace: true, isEngineExternal });
    if (valid === 'pending' || 'violation' in valid) throw new Error('not valid');
    return valid.warnings;
  };

  it('has a warning with Flux as the engine, which does not know it', () => {
    expect(warningsWith('Orphan', true)).toEqual([
      expect.stringMatching(/^deletionPolicy Orphan does not hold if namespace shop is deleted: .*; set suspend: true/),
    ]);
    expect([warningsWith('Orphan', false), warningsWith('Delete', true), warningsWith(undefined, true)]).toEqual([
      [],
      [],
      [],
    ]);
  });
});
