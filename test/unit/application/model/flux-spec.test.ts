import { describe, expect, it } from '@jest/globals';
import {
  childKindOf,
  configOf,
  fluxSpecOf,
  helmReleaseOf,
  kustomizationOf,
  sourceOf,
} from '../../../../controllers/application/model/flux-spec.js';
import { application, deploy, files, filesApplication, SOURCE } from './builders.js';

describe('the Flux part of an Application', () => {
  it('is found where the user wrote it', () => {
    const app = application([deploy('prod')]);
    expect(sourceOf(app)).toEqual(SOURCE.sourceRef);
    expect(helmReleaseOf(app)?.deploy).toEqual([deploy('prod')]);
    expect(fluxSpecOf(app)?.config).toBe(configOf(app));
  });

  it('says which kind of children it asks for', () => {
    const app = filesApplication([files('prod')]);
    expect(kustomizationOf(app)).toEqual([files('prod')]);
    expect([childKindOf(app), childKindOf(application([]))]).toEqual(['Kustomization', 'HelmRelease']);
  });

  it.each([
    ['for another engine', application([], { spec: { argoApp: {} } })],
    ['with an empty config', application([], { spec: { fluxApp: { spec: { config: {} } } } })],
  ])('is missing without harm in one %s', (_, app) => {
    expect([sourceOf(app), helmReleaseOf(app)]).toEqual([undefined, undefined]);
  });
});
