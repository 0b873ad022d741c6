import { describe, expect, test } from '@jest/globals';
import { consoleDetail, consoleRow } from '#console/shared/kubesphere-answers.js';
import { application, files, filesApplication } from '../../application/model/builders.js';

const metadata = { name: 'shop', namespace: 'project', creationTimestamp: '2026-01-01T00:00:00Z' };
const PENDING = {
  conditions: [
    {
      ...{ type: 'Ready', status: 'Unknown', reason: 'Pending', message: 'no status reported yet' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};
const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const to = (targetNamespace: string, cluster?: string) => ({
  destination: { targetNamespace, ...(cluster && { kubeConfig: { secretRef: { name: cluster } } }) },
});

test('each destination has a condition before the controller has written any', () => {
  const shop = application([to('web'), to('web', 'eu')], { metadata });
  expect(consoleDetail(shop).status?.fluxApp).toEqual({ helmReleaseStatus: { web: PENDING, 'eu-web': PENDING } });
});

test('and those of files have', () => {
  const shop = { ...filesApplication([files('web')]), metadata };
  expect(consoleDetail(shop).status?.fluxApp).toEqual({ kustomizationStatus: { web: PENDING } });
});

test('where there are too many, the condition says so', () => {
  const shop = application([to('web')], { metadata, status: { fluxApp: { omitted: 'too many' } } });
  const [shown] = Object.values(consoleDetail(shop).status?.fluxApp?.helmReleaseStatus ?? {});
  expect(shown).toMatchObject({ conditions: [{ type: 'Ready', status: 'Unknown', message: 'too many' }] });
});

test('what is known stays', () => {
  const fluxApp = { helmReleaseStatus: { web: READY, gone: READY, 'eu-web': {} } };
  const shop = application([to('web'), to('web', 'eu')], { metadata, status: { fluxApp } });
  expect(consoleDetail(shop).status?.fluxApp).toEqual({
    helmReleaseStatus: { web: READY, gone: READY, 'eu-web': PENDING },
  });
});

test('nothing is added where nothing is missing, and to one of Argo CD', () => {
  const shop = application([to('web')], { metadata, status: { fluxApp: { helmReleaseStatus: { web: READY } } } });
  expect(consoleDetail(shop)).toBe(shop);
  const argo = { ...shop, spec: { kind: 'argocd' as const, argoApp: {} }, status: {} };
  expect(consoleDetail(argo)).toBe(argo);
});

describe('a row of the list', () => {
  const numbers = (shown: ReturnType<typeof consoleRow>) => shown.metadata.labels;

  test('has a number of destinations before the controller has written one', () => {
    expect(numbers(consoleRow(application([to('web'), to('web', 'eu')], { metadata })))).toEqual({
      'gitops.kubesphere.io/type': 'HelmRelease',
      'gitops.kubepshere.io/type': 'HelmRelease',
      'gitops.kubesphere.io/ready-number': '0-2',
    });
    const templated = application([], { metadata: { ...metadata, labels: { mine: 'x' } } });
    expect(numbers(consoleRow(templated))).toMatchObject({ mine: 'x', 'gitops.kubesphere.io/ready-number': '0-0' });
    expect(numbers(consoleRow({ ...filesApplication([files('web')]), metadata }))).toMatchObject({
      'gitops.kubesphere.io/type': 'Kustomization',
      'gitops.kubesphere.io/ready-number': '0-1',
    });
  });

  test('has the one that the controller has written, and one of Argo CD has none', () => {
    const labels = { 'gitops.kubesphere.io/ready-number': '1-2' };
    const known = application([to('web')], { metadata: { ...metadata, labels } });
    expect(consoleRow(known)).toBe(known);
    const argo = { ...known, metadata, spec: { kind: 'argocd' as const, argoApp: {} } };
    expect(consoleRow(argo)).toBe(argo);
  });
});
