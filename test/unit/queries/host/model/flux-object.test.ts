import { describe, expect, it, test } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import { HOLDER_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import {
  fluxObject,
  fluxObjectView,
  needView,
  plainObjects,
  type Reference,
  referencesOf,
} from '#queries/host/model/flux-object.js';

const READY = { type: 'Ready', status: 'True', reason: 'InstallSucceeded', message: 'installed' };
const FAILED = { type: 'Ready', status: 'False', reason: 'UpgradeFailed', message: 'no such image' };

function release(name: string, fields: object = {}): Child {
  const metadata = { name, namespace: 'shop', generation: 1 };
  const object = { metadata, spec: { interval: '5m' }, ...fields };
  return fluxObject(object as unknown as Child, helmReleaseResource);
}

function reporting(name: string, condition: object): Child {
  return release(name, { status: { observedGeneration: 1, conditions: [condition] } });
}

function files(spec: object): Child {
  return fluxObject({ metadata: { name: 'apps', namespace: 'shop' }, spec } as unknown as Child, kustomizationResource);
}

describe('fluxObjectView', () => {
  it('has the release, its revision and its state', () => {
    const history = [{ chartVersion: '1.4.2', status: 'deployed' }];
    const spec = { targetNamespace: 'prod', kubeConfig: { secretRef: { name: 'eu' } } };
    const child = release('web', { spec, status: { observedGeneration: 1, conditions: [READY], history } });
    expect(fluxObjectView(child)).toEqual({
      ...{ kind: 'HelmRelease', namespace: 'shop', name: 'web', application: '', cluster: 'eu' },
      ...{ targetNamespace: 'prod', release: 'prod-web', revision: '1.4.2' },
      ...{ state: 'Ready', reason: 'InstallSucceeded', message: 'installed' },
    });
  });

  it('takes an object without spec and status', () => {
    const bare = fluxObject({ metadata: { name: 'apps', namespace: 'shop' } } as Child, kustomizationResource);
    expect(fluxObjectView(bare)).toMatchObject({ state: 'Pending', cluster: 'host', release: '', targetNamespace: '' });
    expect(referencesOf(bare)).toEqual([]);
  });
});

describe('plainObjects', () => {
  it('are those of no Application, the worst first', () => {
    const owner = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'shop', uid: 'u' };
    const metadata = { name: 'owned', namespace: 'shop', ownerReferences: [owner] };
    const held = { name: 'held', namespace: 'shop', annotations: { [HOLDER_ANNOTATION]: 'shop' } };
    const all = [
      ...[reporting('b', READY), reporting('a', READY), reporting('broken', FAILED)],
      ...[release('new'), release('owned', { metadata }), release('held', { metadata: held })],
    ];
    const rows = plainObjects(all).map(({ view }) => [view.name, view.state]);
    expect(rows).toEqual([
      ['broken', 'Failed'],
      ['new', 'Pending'],
      ['a', 'Ready'],
      ['b', 'Ready'],
    ]);
  });
});

const shownAs = ({ field, kind, namespace, name }: Reference): string => `${field}: ${kind} ${namespace}/${name}`;

describe('referencesOf', () => {
  it.each<[string, Child, string[]]>([
    [
      'a HelmRelease with a chart',
      release('web', {
        spec: {
          chart: { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'infra' } } },
          dependsOn: [{ name: 'db' }, { name: 'mesh', namespace: 'infra' }],
          valuesFrom: [
            { kind: 'Secret', name: 'secret' },
            { kind: 'ConfigMap', name: 'maybe', optional: true },
            { kind: 'ConfigMap', name: 'common' },
          ],
          kubeConfig: { secretRef: { name: 'eu' } },
        },
        status: { helmChart: 'infra/shop-web' },
      }),
      [
        'spec.chart.spec.sourceRef: HelmRepository infra/charts',
        'spec.chart: HelmChart infra/shop-web',
        'spec.dependsOn[0]: HelmRelease shop/db',
        'spec.dependsOn[1]: HelmRelease infra/mesh',
        'spec.valuesFrom[0]: Secret shop/secret',
        'spec.valuesFrom[2]: ConfigMap shop/common',
        'spec.kubeConfig.secretRef: Secret shop/eu',
      ],
    ],
    [
      'a HelmRelease of an artifact',
      release('web', { spec: { chartRef: { kind: 'OCIRepository', name: 'web' } } }),
      ['spec.chartRef: OCIRepository shop/web'],
    ],
    [
      'a Kustomization',
      files({
        sourceRef: { kind: 'GitRepository', name: 'fleet' },
        dependsOn: [{ name: 'crds' }],
        decryption: { provider: 'sops', secretRef: { name: 'age' } },
        postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'vars' }] },
        kubeConfig: { configMapRef: { name: 'workload' } },
      }),
      [
        'spec.sourceRef: GitRepository shop/fleet',
        'spec.dependsOn[0]: Kustomization shop/crds',
        'spec.postBuild.substituteFrom[0]: ConfigMap shop/vars',
        'spec.decryption.secretRef: Secret shop/age',
        'spec.kubeConfig.configMapRef: ConfigMap shop/workload',
      ],
    ],
    [
      'what is no reference',
      files({ sourceRef: { kind: 'Bad', name: 'x' }, dependsOn: [null, { name: 3 }], valuesFrom: 'x', postBuild: [] }),
      [],
    ],
  ])('%s', (_, child, expected) => {
    expect(referencesOf(child).map(shownAs)).toEqual(expected);
  });
});

describe('needView', () => {
  const reference = (child: Child): Reference => {
    const [first] = referencesOf(child);
    if (first === undefined) throw new Error('it has a reference');
    return first;
  };
  const source = reference(files({ sourceRef: { kind: 'GitRepository', name: 'fleet' } }));
  const secret = reference(files({ decryption: { secretRef: { name: 'age' } } }));
  const dependency = reference(release('web', { spec: { dependsOn: [{ name: 'db' }] } }));
  const found = (condition?: object): KubeObject =>
    ({
      metadata: { name: 'x', namespace: 'shop' },
      status: condition && { observedGeneration: 1, conditions: [condition] },
    }) as unknown as KubeObject;

  test.each<[string, Reference, KubeObject | undefined, { state: string; message: string }]>([
    [
      'no source',
      source,
      undefined,
      { state: 'Missing', message: 'it does not exist: create it, or change spec.sourceRef' },
    ],
    ['a failed source', source, found(FAILED), { state: 'Failed', message: 'no such image' }],
    ['a ready source', source, found(READY), { state: 'Ready', message: '' }],
    ['a new source', source, found(), { state: 'Pending', message: 'no controller has reconciled it yet' }],
    ['a Secret', secret, found(), { state: 'Ready', message: '' }],
    [
      'no dependency',
      dependency,
      undefined,
      { state: 'Missing', message: 'it does not exist: create it, or change spec.dependsOn[0]' },
    ],
    ['a failed dependency', dependency, found(FAILED), { state: 'Failed', message: 'no such image' }],
    [
      'a dependency that an expression judges',
      reference(release('web', { spec: { dependsOn: [{ name: 'db', readyExpr: 'dep.spec.x' }] } })),
      found(READY),
      { state: 'Ready', message: 'spec.dependsOn[0].readyExpr decides whether it is ready enough' },
    ],
  ])('%s', (_, need, object, expected) => {
    expect(needView(need, object)).toMatchObject({ ...expected, name: need.name });
  });
});
