import { describe, expect, it } from '@jest/globals';
import type { FluxApplicationSpec } from '#api/v1alpha1/application-spec.js';
import type { Application } from '#api/v1alpha1/application.js';
import { application, CHART, deploy, entriesOf, files, filesApplication, SOURCE } from './builders.js';

function flux(spec: FluxApplicationSpec): Application {
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } });
}

describe('the entries of an Application', () => {
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

  it('default to a release named as the Application, stored where it is installed', () => {
    const [entry] = entriesOf(application([deploy('prod', 'eu')]));
    expect(entry).toMatchObject({
      path: 'spec.fluxApp.spec.config.helmRelease.deploy[0]',
      key: 'eu-prod',
      release: { cluster: 'Secret/eu/value', storageNamespace: 'prod', releaseName: 'web' },
      stated: {},
      hasDestination: true,
    });
  });

  it('keep what they state of the release apart from the defaults', () => {
    const [entry] = entriesOf(application([deploy('prod', 'eu', { releaseName: 'old', storageNamespace: 'store' })]));
    expect(entry?.stated).toEqual({ releaseName: 'old', storageNamespace: 'store' });
    expect(entry?.release).toMatchObject({ storageNamespace: 'store', releaseName: 'old' });
    expect(entry?.fields).toEqual({ interval: '10m' });
  });

  it('are for the namespace of the Application when they name none, and say that they name nothing', () => {
    const [entry] = entriesOf(application([{}]));
    expect(entry).toMatchObject({ key: 'shop', targetNamespace: 'shop', hasDestination: false });
    expect(entry?.kubeConfig).toBeUndefined();
  });

  it('of a kustomization prune by default, and leave the namespace to the files', () => {
    const [bare, full] = entriesOf(filesApplication([files(), files('prod', 'eu', { prune: false, path: './prod' })]));
    expect(bare).toMatchObject({ key: 'host', fields: { interval: '10m', prune: true } });
    expect(bare?.targetNamespace).toBeUndefined();
    expect(full).toMatchObject({
      path: 'spec.fluxApp.spec.config.kustomization[1]',
      key: 'eu-prod',
      release: { kind: 'Kustomization', cluster: 'Secret/eu/value', storageNamespace: 'prod', releaseName: 'web' },
      fields: { interval: '10m', prune: false, path: './prod' },
    });
  });

  it('are none without a configuration', () => {
    expect(entriesOf(flux({ config: {} }))).toEqual([]);
  });
});
