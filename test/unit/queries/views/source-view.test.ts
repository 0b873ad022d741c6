import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { sourceViews, type SourceObject, type SourceUser } from '#queries/views/source-view.js';

/** An object of the namespace shop, with the rest in YAML. */
function object(kind: string, name: string, yaml = '{}', namespace = 'shop'): SourceObject & SourceUser {
  const { deletionTimestamp, ...rest } = load(yaml) as { deletionTimestamp?: string };
  const metadata = { name, namespace, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) };
  return { apiVersion: 'v1', kind, metadata, ...rest };
}

describe('the state of a source', () => {
  const ready = (status: string, more = ''): string =>
    `{ status: { conditions: [{ type: Ready, status: "${status}", reason: R, message: why }${more}] } }`;
  test.each<[string, string, string, string]>([
    ['nobody has reconciled it', '{}', 'Pending', 'no controller has reconciled it yet'],
    ['it is fetched', ready('True'), 'Ready', 'why'],
    ['it failed', ready('False'), 'Failed', 'why'],
    ['it is stalled', ready('False', ', { type: Stalled, status: "True" }'), 'Stalled', 'why'],
    ['it is fetched again', ready('True', ', { type: Reconciling, status: "True" }'), 'Progressing', 'why'],
    ['it is fetched for the first time', ready('Unknown'), 'Progressing', 'why'],
    ['it is suspended', '{ spec: { suspend: true } }', 'Suspended', 'no controller has reconciled it yet'],
    [
      'it is being deleted',
      '{ deletionTimestamp: "2026-01-01T00:00:00Z" }',
      'Deleting',
      'no controller has reconciled it yet',
    ],
    ['others publish it without a condition', '{ status: { artifact: { revision: a } } }', 'Ready', ''],
  ])('when %s', (_, yaml, state, message) => {
    expect(sourceViews([object('GitRepository', 'app', yaml)], [])).toMatchObject([{ state, message }]);
  });

  test('a registry as a Helm repository needs no status, as Flux writes none', () => {
    const oci = object('HelmRepository', 'a', '{ spec: { type: oci } }');
    expect(sourceViews([oci], [])).toMatchObject([{ state: 'Ready', message: '' }]);
    expect(sourceViews([object('HelmRepository', 'a', '{ spec: { type: default } }')], [])).toMatchObject([
      { state: 'Pending' },
    ]);
  });
});

describe('what uses a source', () => {
  const repository = object('HelmRepository', 'charts');
  const chart = object('HelmChart', 'shop-web', '{ spec: { sourceRef: { kind: HelmRepository, name: charts } } }');
  const users = [
    object(
      'Application',
      'web',
      '{ spec: { fluxApp: { spec: { source: { sourceRef: { kind: HelmRepository, name: charts } } } } } }',
    ),
    object(
      'HelmRelease',
      'web',
      '{ spec: { chart: { spec: { sourceRef: { kind: HelmRepository, name: charts, namespace: shop } } } }, status: { helmChart: shop/shop-web } }',
      'other',
    ),
    object('HelmRelease', 'by-ref', '{ spec: { chartRef: { kind: HelmChart, name: shop-web } } }'),
    object('HelmRelease', 'elsewhere', '{ spec: { chartRef: { kind: HelmChart, name: shop-web } } }', 'other'),
    object('Kustomization', 'other-kind', '{ spec: { sourceRef: { kind: Bucket, name: charts } } }'),
    object('Application', 'empty', '{ spec: { fluxApp: { spec: {} } } }'),
    chart,
  ];

  test('is found by every way to name it, once each', () => {
    const used = sourceViews([repository, chart], [...users, ...users].slice(0, users.length));
    expect(
      used.map(({ name, usedBy }) => [name, usedBy.map((user) => `${user.kind} ${user.namespace}/${user.name}`)]),
    ).toEqual([
      ['shop-web', ['HelmRelease other/web', 'HelmRelease shop/by-ref']],
      ['charts', ['Application shop/web', 'HelmChart shop/shop-web', 'HelmRelease other/web']],
    ]);
  });

  test('does not depend on the order in which objects come', () => {
    expect(sourceViews([repository, chart], users)).toEqual(sourceViews([chart, repository], users.toReversed()));
  });
});
