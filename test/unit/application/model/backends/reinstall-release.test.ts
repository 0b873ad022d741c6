import { expect, test } from '@jest/globals';
import merge from 'lodash/merge.js';
import omit from 'lodash/omit.js';
import { reinstallationOf } from '#controllers/application/model/destinations/identity.js';
import type { Application } from '#api/v1alpha1/application.js';
import { application, deploy, files, filesApplication, work, type Deploy, type Files } from '../builders.js';

function childOf(wanted: Application) {
  const [step] = work(wanted).steps;
  if (step?.op !== 'create') throw new Error('nothing is created');
  return step.object;
}
type Child = ReturnType<typeof childOf>;

const named = (more: Partial<Deploy> = {}, namespace = 'prod') =>
  childOf(application([deploy(namespace, 'eu', { name: 'main', ...more })]));
const filesIn = (namespace: string, more: Partial<Files> = {}) =>
  childOf(filesApplication([files(namespace, 'eu', { name: 'f', path: './a', ...more })]));
const of = (chart: string, more: object = {}, kind = 'HelmRepository'): Child =>
  merge({}, named(), { spec: { chart: { spec: { chart, sourceRef: { kind, name: 'x' } } }, ...more } });
const ofOci = (name: string): Child => {
  const child = named();
  return { ...child, spec: { ...omit(child.spec, 'chart'), chartRef: { kind: 'OCIRepository', name } } };
};
const installed = (child: Child, chartName: string, more: object = {}): Child => {
  const { releaseName, targetNamespace, storageNamespace } = child.spec;
  const latest = { name: releaseName, namespace: targetNamespace, chartName, ...more };
  return merge({}, child, { status: { history: [latest], storageNamespace } });
};

test.each<[string, Child, Child, boolean]>([
  ['nothing', named(), named(), false],
  ['a timeout', named(), named({ timeout: '1m' }), false],
  ['the release name', named(), named({ releaseName: 'new' }), true],
  ['the target namespace', named(), named({ storageNamespace: 'prod' }, 'test'), true],
  ['the storage namespace', named(), named({ storageNamespace: 'store' }), true],
  ['the namespace of files', filesIn('prod'), filesIn('test', { prune: true }), true],
  [
    'the namespace of files that are not pruned',
    filesIn('prod', { prune: true }),
    filesIn('test', { prune: false }),
    false,
  ],
  ['the path of files', filesIn('prod'), filesIn('prod', { path: './b' }), false],
  ['the chart', installed(of('a'), 'a'), of('b'), true],
  [
    'the chart, in place',
    installed(of('a'), 'a'),
    of('b', { upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } }),
    false,
  ],
  ['the end of a suspension, after the chart', installed(of('b', { suspend: true }), 'a'), of('b'), true],
  ['the end of a suspension, after the name', installed(of('a'), 'a', { name: 'old' }), of('a'), true],
  [
    'a version in a folder',
    installed(of('./chart', {}, 'GitRepository'), 'a'),
    of('./chart', {}, 'GitRepository'),
    false,
  ],
  ['the folder', installed(of('./charts/a/', {}, 'GitRepository'), 'a'), of('./charts/b/', {}, 'GitRepository'), true],
  [
    'a version at the end of a folder',
    installed(of('charts/shop/1.0', {}, 'GitRepository'), 'shop'),
    of('charts/shop/1.1', {}, 'GitRepository'),
    false,
  ],
  [
    'a folder that does not tell the chart',
    installed(of('deploy/helm', {}, 'GitRepository'), 'shop'),
    of('vendor/postgres', {}, 'GitRepository'),
    true,
  ],
  [
    'a folder to another one, beside a version',
    installed(of('frontend/1.0', {}, 'GitRepository'), 'frontend'),
    of('frontend/1.1', {}, 'GitRepository'),
    false,
  ],
  [
    'a folder to another one, beside the chart',
    installed(of('frontend/chart', {}, 'GitRepository'), 'frontend'),
    of('frontend/redis', {}, 'GitRepository'),
    true,
  ],
  ['the chart at the root', installed(of('.', {}, 'GitRepository'), 'shop'), of('./', {}, 'GitRepository'), false],
  [
    'the digest of an OCI chart, whose source has another name each time',
    installed(ofOci('inline-a'), 'shop'),
    ofOci('inline-b'),
    false,
  ],
  [
    'the commit of a chart in a folder, whose source has another name each time',
    installed(of('deploy/helm', {}, 'GitRepository'), 'shop'),
    merge(of('deploy/helm', {}, 'GitRepository'), { spec: { chart: { spec: { sourceRef: { name: 'pinned-x-1' } } } } }),
    false,
  ],
  ['a chart that was never installed', of('a'), of('b'), false],
])('a change of %s', (_, live, object, expected) => {
  expect(reinstallationOf(live, object) !== undefined).toBe(expected);
});
