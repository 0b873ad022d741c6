import { expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { differencesOf, hostView, runsView, type Running } from './view.js';

const release = (name: string, more: object = {}): Child => ({
  ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: { name, namespace: 'shop' } },
  spec: { releaseName: 'web', targetNamespace: 'web', ...more },
});
const application = (state: string): Application =>
  ({
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name: 'web' }, spec: {} },
    status: { destinations: [{ name: 'main', state }] },
  }) as unknown as Application; // all that a view reads
const running = (content: string): Running => ({
  ...{ kind: 'release', cluster: 'phys-1', namespace: 'web', storageNamespace: 'shop', name: 'web' },
  ...{ content, isFailed: false },
});

it('takes the same child of two servers for one, whatever the hash in its name', () => {
  const one = hostView([], [release('web-c1-23sl6gwylq')]);
  expect(differencesOf(one, hostView([], [release('web-c1-l7q4wkomts')]))).toEqual([]);
});

it.each<[string, readonly Child[]]>([
  ['is missing', []],
  ['has another spec', [release('web-c1-23sl6gwylq', { values: { color: 'red' } })]],
  ['is there twice', [release('web-c1-23sl6gwylq'), release('web-c1-l7q4wkomts')]],
  ['releases something else', [release('web-c1-23sl6gwylq', { targetNamespace: 'db' })]],
])('tells that a child %s', (_, children) => {
  const one = hostView([], [release('web-c1-23sl6gwylq')]);
  expect(differencesOf(one, hostView([], children))).not.toEqual([]);
});

it('tells that a destination is in another state', () => {
  const found = differencesOf(hostView([application('Ready')], []), hostView([application('Failed')], []));
  expect(found).toEqual([
    { what: 'Application web destination main  ', inMemory: '[null,"Ready",null]', real: '[null,"Failed",null]' },
  ]);
});

it('tells that something else runs', () => {
  expect(differencesOf(runsView([running('one')]), runsView([running('one')]))).toEqual([]);
  expect(differencesOf(runsView([running('one')]), runsView([running('two')]))).toHaveLength(1);
  expect(differencesOf(runsView([running('one')]), runsView([]))).toHaveLength(1);
});
