import { describe, expect, it, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { applySteps } from '#controllers/application/apply.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { targetValues } from '#controllers/application/model/children/same-target.js';
import { differingFields } from '#controllers/application/model/children/plain.js';
import type { Kube } from '#runtime/client/kube.js';
import { afterAdoption, applicationLike, leftOut, whyNotAdopted } from '#queries/plans/adoption.js';
import { reporting, work } from '../../application/model/builders.js';

const UID = 'uid-of-app';

function release(spec: object = {}, metadata: Partial<Child['metadata']> = {}): Child {
  const sourceRef = { kind: 'HelmRepository', name: 'charts' };
  const chart = { spec: { chart: 'podinfo', version: '6.x', reconcileStrategy: 'ChartVersion', sourceRef } };
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-of-child', ...metadata },
    spec: { interval: '7m', chart, ...spec },
  };
}

function kustomization(spec: object = {}): Child {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'apps', namespace: 'shop', uid: 'uid-of-child' },
    spec: { interval: '7m', prune: true, path: './apps', sourceRef: { kind: 'GitRepository', name: 'fleet' }, ...spec },
  };
}

/** The steps of an Application that a child is offered to. */
function taking(app: Application, child: Child) {
  const application = { ...app, metadata: { ...app.metadata, uid: UID, generation: 1 } };
  const annotations = { ...child.metadata.annotations, [OFFERED_TO_ANNOTATION]: UID };
  const offered = { ...child, metadata: { ...child.metadata, annotations } };
  const targets = {
    childrenAt: (value: string) => [offered].filter((each) => targetValues(each).includes(value)),
    claimantOf: () => undefined,
  };
  return work(application, [], { adoptable: [offered], targets });
}

const SAME: [string, Child][] = [
  ['a HelmRelease with nothing but its chart', release()],
  [
    'a HelmRelease with all that decides what it deploys',
    release({
      ...{ releaseName: 'front', targetNamespace: 'prod', storageNamespace: 'records', suspend: true, maxHistory: 3 },
      kubeConfig: { secretRef: { name: 'eu', key: 'kubeconfig' } },
      values: { replicas: 2, nested: { 'a/b': [{ name: 'x' }], text: '' } },
      valuesFrom: [
        { kind: 'Secret', name: 'b' },
        { kind: 'ConfigMap', name: 'a', valuesKey: 'v', optional: true },
      ],
      ...{ timeout: '3m', serviceAccountName: 'tenant', dependsOn: [{ name: 'db' }] },
      install: { createNamespace: true, remediation: { retries: 3 } },
      upgrade: { remediation: { strategy: 'rollback' } },
      driftDetection: { mode: 'enabled' },
      postRenderers: [{ kustomize: { patches: [{ patch: 'a', target: { kind: 'Deployment' } }] } }],
    }),
  ],
  [
    'a HelmRelease with a source of another namespace',
    release({
      chart: {
        spec: {
          chart: 'a',
          interval: '1h',
          sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'flux-system' },
        },
      },
    }),
  ],
  [
    'a HelmRelease with a chart of a registry',
    release({ chart: undefined, chartRef: { kind: 'OCIRepository', name: 'web' } }),
  ],
  ['a HelmRelease with a long name', release({ targetNamespace: 'prod' }, { name: 'a'.repeat(60) })],
  ['a Kustomization', kustomization()],
  [
    'a Kustomization with more',
    kustomization({
      ...{ prune: false, targetNamespace: 'prod', namePrefix: 'a-', wait: true, suspend: true, force: false },
      kubeConfig: { secretRef: { name: 'eu' } },
      patches: [{ patch: 'a', target: { kind: 'Deployment' } }],
      postBuild: { substitute: { region: 'eu' } },
      components: ['../more'],
    }),
  ],
];

describe('an Application like a plain object', () => {
  it.each(SAME)('takes it over, and says the same: %s', (_, child) => {
    const { steps, warnings } = taking(applicationLike(child, 'front'), child);
    const [step] = steps;
    expect([steps.length, warnings]).toEqual([1, []]);
    if (step?.op !== 'update') throw new Error(`expected an update, not ${step?.op}: ${JSON.stringify(step)}`);
    expect([step.isAdoption, step.uninstalls, step.object.metadata.name]).toEqual([
      true,
      undefined,
      child.metadata.name,
    ]);
    expect(differingFields(child, step.object)).toEqual([]);
  });
});

describe('an offered object that would lose something', () => {
  it.each<[string, Child, object]>([
    ['another chart', release(), { chart: 'other' }],
    ['another path', kustomization(), { path: './other' }],
  ])('is not taken over: %s', (_, child, change) => {
    const app = applicationLike(child, 'front');
    const { helmRelease, kustomization: files } = app.spec.fluxApp!.spec.config;
    Object.assign(helmRelease?.chart ?? files![0]!, change);
    const deployed = { ...child, status: { history: [{ name: 'web', chartName: 'podinfo', status: 'deployed' }] } };
    expect(taking(app, deployed).steps.filter(({ op }) => op === 'update')).toEqual([]);
  });
});

test('a release that is offered is not installed a second time under another record', () => {
  const child = release({ targetNamespace: 'prod' });
  const app = applicationLike(child, 'front');
  Object.assign(app.spec.fluxApp!.spec.config.helmRelease!.deploy[0]!, { storageNamespace: 'prod' });
  const { steps, rejected } = taking(app, child);
  expect(steps.map(({ op }) => op)).toEqual(['wait']);
  expect(rejected.map(({ violation }) => violation.reason)).toEqual(['ReleaseConflict']);
});

test.each<[string, Child, object, string[]]>([
  ['nothing but what the engine takes for said', release(), { releaseName: 'web', storageNamespace: 'shop' }, []],
  ['another value', release({ values: { a: 1 } }), { values: { a: 2 } }, ['spec.values.a']],
  ['a field that goes', release({ suspend: true }), { suspend: undefined }, ['spec.suspend']],
  ['a field that comes', release(), { suspend: true }, ['spec.suspend']],
  ['another record', release(), { storageNamespace: 'prod' }, ['spec.storageNamespace']],
  ['another namespace', release(), { targetNamespace: 'prod' }, ['spec.targetNamespace']],
  [
    'another order of values',
    release({ valuesFrom: [{ name: 'a' }, { name: 'b' }] }),
    { valuesFrom: [{ name: 'b' }, { name: 'a' }] },
    ['spec'],
  ],
])('an object that would be written differs by %s', (_, child, change, expected) => {
  const [step] = taking(applicationLike(child, 'web'), child).steps;
  if (step?.op !== 'update') throw new Error('expected an update');
  const spec = Object.fromEntries(
    Object.entries({ ...step.object.spec, ...change }).filter(([, value]) => value !== undefined),
  );
  expect(differingFields(child, { ...step.object, spec })).toEqual(expected);
});

test.each<[string, Partial<Child['metadata']>, string | undefined]>([
  ['a plain one', {}, undefined],
  ['one that is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }, 'it is being deleted'],
  [
    'one of an Application',
    {
      labels: { 'gitops.kubesphere.io/application-uid': 'x' },
      ownerReferences: [{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'shop', uid: 'x' }],
    },
    'it belongs to Application shop already',
  ],
  [
    'one that an Application left behind',
    { labels: { 'gitops.kubesphere.io/application-uid': 'x' } },
    'an Application left it behind: one that specifies the same takes it over by itself',
  ],
  [
    'one with an owner',
    { ownerReferences: [{ apiVersion: 'a/v1', kind: 'Tenant', name: 'team', uid: 'x' }] },
    'Tenant team owns it: what makes that makes this, too',
  ],
  [
    'one that Flux applies',
    { labels: { 'kustomize.toolkit.fluxcd.io/name': 'all', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' } },
    'Kustomization flux-system/all applies it, and would change it back or delete it: add the annotation kustomize.toolkit.fluxcd.io/prune: disabled to its file; wait until the object has that; only then remove the object there, and then kustomize.toolkit.fluxcd.io/name and kustomize.toolkit.fluxcd.io/namespace from its labels and annotations',
  ],
  [
    'one of a chart',
    { annotations: { 'meta.helm.sh/release-name': 'stack' } },
    'Helm release stack applies it, and would change it back or delete it: add the annotation helm.sh/resource-policy: keep to it in the templates of its chart, and upgrade the release; wait until the object has that; only then remove the object there, and then meta.helm.sh/release-name from its labels and annotations',
  ],
])('whether an Application may take it over: %s', (_, metadata, expected) => {
  expect(whyNotAdopted(reporting(release({}, metadata), 'True', 'UpgradeSucceeded'))).toBe(expected);
});

test('nothing is taken over that would be tried again', () => {
  const failed = reporting(release(), 'False', 'UpgradeFailed');
  expect(whyNotAdopted(failed)).toMatch(/^it is not Ready/);
  expect(whyNotAdopted(release())).toBeUndefined();
  expect(whyNotAdopted({ ...failed, spec: { ...failed.spec, suspend: true } })).toBeUndefined();
});

test.each(['RetriesExceeded', 'Progressing'])(
  'an object that is %s after the offer is left as it is',
  async (reason) => {
    const app = applicationLike(release(), 'web');
    const failing = reporting(release(), reason === 'Progressing' ? 'Unknown' : 'False', reason);
    const { steps } = taking(app, failing);
    const kube = {} as Kube; // whatever it is asked is an error
    const outcomes = await applySteps(steps, { kube, children: [], signal: new AbortController().signal }, () =>
      Promise.resolve(true),
    );
    expect(outcomes.map(({ error }) => (error as Error).message)).toEqual([
      'HelmRelease shop/web is offered as it is, and left unchanged: it is not Ready, and its failures would be forgotten: wait until it is, correct it, or suspend it first',
    ]);
  },
);

test.each<[Record<string, string>, Record<string, string>, string]>([
  [
    {
      'resourceset.fluxcd.controlplane.io/name': 'apps',
      'resourceset.fluxcd.controlplane.io/namespace': 'flux-system',
    },
    {},
    'ResourceSet flux-system/apps applies it',
  ],
  [{ 'fluxcd.controlplane.io/name': 'flux' }, {}, 'FluxInstance /flux applies it'],
  [{ 'kapp.k14s.io/app': '1' }, {}, 'kapp applies it'],
  [{}, { 'config.k8s.io/owning-inventory': 'a' }, 'kpt or Config Sync applies it'],
  [{ 'applyset.kubernetes.io/part-of': 'applyset-a-v1' }, {}, 'a tool with an ApplySet, such as kubectl or kro,'],
  [
    { 'objectset.rio.cattle.io/hash': 'a' },
    { 'objectset.rio.cattle.io/id': 'b' },
    'Rancher, Fleet or K3s applies it, and would change it back or delete it: end that so that the object stays, and only then remove objectset.rio.cattle.io/hash and objectset.rio.cattle.io/id from its labels and annotations',
  ],
  [{}, { 'work.karmada.io/name': 'a', 'work.karmada.io/namespace': 'b' }, "Karmada's Work b/a applies it"],
])('whoever marks what they apply would delete it: %j %j', (labels, annotations, expected) => {
  const child = reporting(release({}, { labels, annotations }), 'True', 'UpgradeSucceeded');
  expect(whyNotAdopted(child)?.startsWith(expected)).toBe(true);
});

test('what an object cannot say is no part of it', () => {
  const app = applicationLike(release(), 'web');
  const [step] = taking(app, release()).steps;
  const { object } = step as { readonly object: Child };
  const annotations = { ...object.metadata.annotations, 'gitops.kubesphere.io/mode': 'Once' };
  expect(differingFields(release(), object)).toEqual([]);
  expect(differingFields(release(), { ...object, metadata: { ...object.metadata, annotations } })).toEqual(['mode']);
  expect(differingFields(release({ suspend: true }), object)).toEqual(['spec.suspend']);
});

test.each<[string, Child, string]>([
  ['a release', release(), 'to delete that, or its entry, uninstalls what it deployed, unless it is suspended'],
  ['files', kustomization(), 'to delete that, or its entry, deletes what it deployed, unless it is suspended'],
  ['files that stay', kustomization({ prune: false }), 'to delete that, or its entry, leaves what it deployed'],
])('the deletion of the Application afterwards: %s', (_, child, expected) => {
  expect(afterAdoption(child, applicationLike(child, 'web'))).toBe(
    `${child.kind} shop/${child.metadata.name} then belongs to Application shop/web: ${expected}`,
  );
});

test('labels of the HelmChart have no place in an Application', () => {
  const child = release();
  const chart = { ...(child.spec['chart'] as object), metadata: { labels: { team: 'a' } } };
  expect([leftOut(child), leftOut(release({ chart }))]).toEqual([[], ['spec.chart.metadata']]);
});
