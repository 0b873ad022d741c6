import { describe, expect, it } from '@jest/globals';
import { backendFor, backendOf, BACKENDS, hasBackend } from '#controllers/application/model/backends/index.js';
import { application, applied, deploy, files, filesApplication, work } from '../builders.js';

const releases = application([deploy('prod')]);
const applications = filesApplication([files('prod')]);

describe('a backend', () => {
  it.each([
    ['HelmRelease', releases, 'helmreleases', 'helm.toolkit.fluxcd.io/v2'],
    ['Kustomization', applications, 'kustomizations', 'kustomize.toolkit.fluxcd.io/v1'],
  ] as const)('of a %s is found for an Application and for its children', (kind, app, plural, apiVersion) => {
    const [child] = applied([], work(app).steps);
    expect(backendFor(app).kind).toBe(kind);
    expect(backendOf(child!)).toBe(backendFor(app));
    expect(backendOf({ kind }).resource).toMatchObject({ kind, plural });
    expect(child!.apiVersion).toBe(apiVersion);
  });

  it('is the first one where an Application does not say', () => {
    expect(backendFor(application([], { spec: {} }))).toBe(BACKENDS[0]);
  });

  it('is missing for other kinds, and for engines without a backend', () => {
    expect(() => backendOf({ kind: 'Deployment' })).toThrow('no backend has children of kind Deployment');
    expect([hasBackend('fluxcd'), hasBackend('argocd'), hasBackend(undefined)]).toEqual([true, false, false]);
  });
});
