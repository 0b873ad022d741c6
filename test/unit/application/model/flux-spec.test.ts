import { describe, expect, it } from '@jest/globals';
import {
  configOf,
  fluxSpecOf,
  helmReleaseOf,
  inlineOf,
  kustomizationOf,
  sourceOf,
  sourceReference,
  statedSpecOf,
  withFluxSpec,
} from '#controllers/application/model/spec/flux-spec.js';
import { application, deploy, files, filesApplication, SOURCE } from './builders.js';

describe('the Flux part of an Application', () => {
  it('is found where the user wrote it', () => {
    const app = application([deploy('prod')]);
    expect(sourceOf(app)).toEqual(SOURCE.sourceRef);
    expect(helmReleaseOf(app)?.deploy).toEqual([deploy('prod')]);
    expect(fluxSpecOf(app)?.config).toBe(configOf(app));
  });

  it('has the source that stands for an inline one, as long as the spec is the same', () => {
    const source = { inline: { repo: 'https://charts.example.com', chart: 'web' } };
    const app = withFluxSpec(application([]), { source, config: { helmRelease: { deploy: [deploy('prod')] } } });
    expect([inlineOf(app), statedSpecOf(app)?.source]).toEqual([source.inline, source]);
    expect(sourceOf(app)).toMatchObject({ kind: 'HelmRepository' });
    expect(helmReleaseOf(app)?.chart).toEqual({ chart: 'web' });
    expect(fluxSpecOf(app)).toBe(fluxSpecOf(app));
  });

  it('has the entries of files', () => {
    expect(kustomizationOf(filesApplication([files('prod')]))).toEqual([files('prod')]);
  });

  it('gives its source a namespace, and may be given another part', () => {
    const app = application([deploy('prod')]);
    expect(sourceReference(app)).toEqual({ ...SOURCE.sourceRef, namespace: 'shop' });
    expect(sourceReference(withFluxSpec(app, { config: {} }))).toBeUndefined();
  });

  it.each([
    ['for another engine', application([], { spec: { argoApp: {} } })],
    ['with an empty config', application([], { spec: { fluxApp: { spec: { config: {} } } } })],
  ])('is missing without harm in one %s', (_, app) => {
    expect([sourceOf(app), helmReleaseOf(app)]).toEqual([undefined, undefined]);
  });
});
