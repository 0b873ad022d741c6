import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import {
  controllerFinding,
  crdFinding,
  engineFinding,
  findingLines,
  plainFinding,
  rightsFinding,
  unreadFinding,
} from '#cli/install/check.js';
import type { FluxObjectView } from '#queries/answers/flux-object.js';

const VERSION = 'gitops.kubesphere.io/crd-version';
const APPLICATIONS = 'applications.gitops.kubesphere.io';
const RELEASES = 'helmreleases.helm.toolkit.fluxcd.io';

function crd(name: string, version?: string): KubeObject {
  const labels = version === undefined ? {} : { 'app.kubernetes.io/part-of': 'fairlead', [VERSION]: version };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name, labels } };
}

const WANTED = [crd(APPLICATIONS, '0.2.0'), crd(RELEASES, '0.2.0')];

describe('crdFinding', () => {
  it.each([
    ['nothing is installed', [], 'note', 'not installed: `fairlead install`'],
    ['all are of this version', WANTED, 'ok', '2 of version 0.2.0'],
    ['one is missing', [crd(APPLICATIONS, '0.2.0')], 'wrong', `missing: ${RELEASES}`],
    ['one is older', [crd(APPLICATIONS, '0.1.0'), crd(RELEASES, '0.2.0')], 'wrong', `older version: ${APPLICATIONS}`],
    ['one is newer', [crd(APPLICATIONS, '0.3.0'), crd(RELEASES, '0.2.0')], 'wrong', 'use the newer fairlead'],
    ['one is of somebody else', [crd(APPLICATIONS), crd(RELEASES, '0.2.0')], 'wrong', 'somebody else installed it'],
    ["Flux's own is left to Flux", [crd(APPLICATIONS, '0.2.0'), crd(RELEASES)], 'ok', '1 of version 0.2.0'],
    ['only Flux is installed', [crd(RELEASES)], 'note', 'not installed, but those of Flux: `fairlead install`'],
  ] as const)('%s', (_, live, state, text) => {
    const finding = crdFinding(WANTED, live, (each) => each?.metadata.labels?.[VERSION] ?? '');
    expect(finding).toMatchObject({ state, text: expect.stringContaining(text) });
  });
});

describe('engineFinding', () => {
  it.each([
    ['missing', [], 'note', 'none yet'],
    ['ours', [], 'ok', 'embedded: Flux was not found'],
    ['ours', ['Deployment flux-system/helm-controller of Flux runs'], 'wrong', 'scale it to 0 replicas'],
    ['foreign', [], 'note', 'no controller was found'],
    ['foreign', ['Deployment flux-system/helm-controller of Flux runs'], 'ok', 'external: Flux'],
  ] as const)('%s CRDs, running: %j', (crds, running, state, text) => {
    expect(engineFinding(crds, running)).toMatchObject({ state, text: expect.stringContaining(text) });
  });
});

it('a controller that is not available is wrong, one that is not installed is not', () => {
  const health = { status: 'InProgress', message: 'Available: 0/2' } as const;
  expect(controllerFinding({ image: 'f:1', health })).toMatchObject({ state: 'wrong', text: 'f:1: Available: 0/2' });
  expect(controllerFinding(undefined)).toMatchObject({ state: 'note' });
});

it('missing rights matter while nothing is installed', () => {
  expect(rightsFinding(['create namespaces'], false)).toMatchObject({ state: 'wrong' });
  expect(rightsFinding(['create namespaces'], true)).toMatchObject({ state: 'note' });
  expect(rightsFinding([], false)).toMatchObject({ state: 'ok' });
});

it('lines up the findings', () => {
  const lines = findingLines([
    { subject: 'CRDs', state: 'ok', text: 'a' },
    { subject: 'controller', state: 'wrong', text: 'b\u001b[2J' },
  ]);
  expect(lines).toEqual(['ok     CRDs        a', 'wrong  controller  b [2J']);
});

it('goes on below on a narrow terminal, and splits a word where it must', () => {
  const text = 'v1.34.0 at https://127.0.0.1:6443 (context host)';
  expect(findingLines([{ subject: 'server', state: 'ok', text }], 40)).toEqual([
    'ok     server  v1.34.0 at',
    '               https://127.0.0.1:6443',
    '               (context host)',
  ]);
  for (const columns of [1, 14]) {
    const lines = findingLines([{ subject: 'server', state: 'ok', text }], columns);
    expect(lines.map((line) => line.slice(15)).join('')).toBe(text.replaceAll(' ', ''));
  }
});

describe('plainFinding', () => {
  const view: FluxObjectView = {
    ...{ kind: 'HelmRelease', namespace: 'shop', name: 'web', application: '', cluster: 'host', targetNamespace: '' },
    ...{ release: 'web', state: 'Failed', reason: '', revision: '', message: '' },
  };
  const need = { kind: 'Secret', namespace: 'shop', name: 'values', field: 'spec.valuesFrom[0]', message: '' };
  const needs = [
    { ...need, state: 'Missing' },
    { ...need, name: 'fine', state: 'Ready' },
  ];

  it('says nothing where there are none', () => {
    expect(plainFinding(0, 0, [])).toBeUndefined();
  });

  it('counts those that are well', () => {
    const text = '3 without an Application, none of which fails or waits';
    expect(plainFinding(3, 0, [])).toEqual({ subject: 'Flux objects', state: 'ok', text });
  });

  it('names what the others need, and does not fail the check', () => {
    const { state, text } = plainFinding(5, 2, [{ view, needs }]) ?? {};
    expect(state).toBe('note');
    expect(text).toBe(
      '5 without an Application, 2 not Ready: HelmRelease shop/web (Failed) needs Secret shop/values (Missing, ' +
        'spec.valuesFrom[0]); and 1 more: `fairlead status helmrelease/web -n shop` says why',
    );
  });

  it('says which kinds the user may not list', () => {
    expect(unreadFinding([])).toEqual([]);
    expect(unreadFinding(['HelmRelease'])).toMatchObject([
      { state: 'note', text: expect.stringMatching(/^you may not list HelmRelease objects.*fairlead status -n/) },
    ]);
  });
});
