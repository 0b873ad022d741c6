import { describe, expect, it } from '@jest/globals';
import { objectsText } from '#controllers/application/model/backends/match-rules.js';
import { copyName } from '#controllers/application/model/spec/resolved-versions.js';
import type { Child, ChildSpec } from '#controllers/application/model/child/types.js';

const FLEET = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };

const files = (spec: ChildSpec): Child => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { sourceRef: { kind: 'GitRepository', name: 'fleet' }, path: './web', ...spec },
});

describe('the objects that come out of a Kustomization', () => {
  it.each<[string, ChildSpec]>([
    ['how often it is looked at', { interval: '1m', timeout: '2m' }],
    ['that it is suspended', { suspend: true }],
    ['a field that says nothing', { patches: [], postBuild: {}, namePrefix: null }],
    [
      'the namespace of the source, which is its own',
      { sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'shop' } },
    ],
    ['the commit of the source', { sourceRef: { kind: 'GitRepository', name: copyName(FLEET, 'main@sha1:a') } }],
  ])('do not depend on %s', (_, spec) => {
    expect(objectsText(files(spec))).toBe(objectsText(files({})));
  });

  it.each<[string, ChildSpec]>([
    ['the directory', { path: './api' }],
    ['the source', { sourceRef: { kind: 'GitRepository', name: 'other' } }],
    ['the namespace', { targetNamespace: 'prod' }],
    ['variables', { postBuild: { substitute: { tenant: '' } } }],
    ['patches', { patches: [{ patch: '$patch: delete' }] }],
  ])('depend on %s', (_, spec) => {
    expect(objectsText(files(spec))).not.toBe(objectsText(files({})));
  });
});
