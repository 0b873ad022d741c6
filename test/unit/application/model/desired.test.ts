import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { freeChildName } from '#controllers/application/model/destinations/identity.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child } from '#controllers/application/model/child/types.js';
import {
  application,
  CHART,
  deploy,
  type Deploy,
  entriesOf,
  files,
  filesApplication,
  legacyChild,
  SOURCE,
} from './builders.js';

function child(entry: Deploy, live?: Child, app: Application = application([entry])): Child {
  return desiredChild(app, entriesOf(app)[0]!, live).object;
}
const digest = (object: Child): string | undefined =>
  object.metadata.annotations?.['gitops.kubesphere.io/applied-digest'];

describe('the child of an entry', () => {
  it('says everything, so that nothing depends on defaults of the engine', () => {
    const values = { replicas: 2, image: null };
    expect(child(deploy('prod', 'eu', { timeout: '1m', values })).spec).toEqual({
      interval: '10m',
      timeout: '1m',
      values,
      chart: { spec: { interval: '10m', ...CHART, sourceRef: { ...SOURCE.sourceRef, namespace: 'shop' } } },
      releaseName: 'web',
      targetNamespace: 'prod',
      storageNamespace: 'prod',
      kubeConfig: { secretRef: { name: 'eu' } },
    });
  });

  it('has its chart checked as often as the chart says, however often the release is', () => {
    const entry = deploy('prod', 'eu', { interval: '1m' });
    expect(child(entry).spec).toMatchObject({ interval: '1m', chart: { spec: { interval: '10m' } } });
    const app = application([entry]);
    const { config } = app.spec.fluxApp!.spec;
    config.helmRelease = { ...config.helmRelease!, chart: { ...CHART, interval: '1h' } };
    expect(child(entry, undefined, app).spec).toMatchObject({ interval: '1m', chart: { spec: { interval: '1h' } } });
  });

  it('belongs to the Application and carries what it is known by', () => {
    expect(child(deploy('prod', 'eu', { name: 'main' })).metadata).toMatchObject({
      namespace: 'shop',
      labels: { 'gitops.kubesphere.io/application-uid': 'uid-1', 'app.kubernetes.io/managed-by': 'web' },
      annotations: { 'app.kubernetes.io/name': 'eu-prod', 'gitops.kubesphere.io/entry-name': 'main' },
      ownerReferences: [{ kind: 'Application', name: 'web', uid: 'uid-1', controller: true, blockOwnerDeletion: true }],
    });
  });

  it.each([
    ['of a template', { kind: 'HelmTemplate', namespace: 'shop', name: 'base', revision: 3 }, ['base', 'shop', '3']],
    ['of a chart of ks-devops', { kind: 'HelmChart', namespace: 'shop', name: 'base' }, ['base', 'shop', undefined]],
    [
      'of a template with a long name',
      { kind: 'HelmTemplate', namespace: 'catalog', name: `${'n'.repeat(52)}.${'o'.repeat(40)}`, revision: 12 },
      [expect.stringMatching(/^n{52}-[a-z0-9]{10}$/), 'catalog', '12'],
    ],
  ] as const)('carries name, namespace and revision %s', (_, template, expected) => {
    const app = application([deploy('prod')]);
    const entry = entriesOf(app)[0]!;
    const plain = desiredChild(app, entry, undefined).object;
    const { metadata, spec } = desiredChild(app, { ...entry, template }, undefined).object;
    const labels = ['template', 'template-namespace', 'template-revision'].map((key) => `gitops.kubesphere.io/${key}`);
    expect(labels.map((key) => metadata.labels?.[key])).toEqual(expected);
    expect(labels.map((key) => plain.metadata.labels?.[key])).toEqual([undefined, undefined, undefined]);
    expect(spec).toEqual(plain.spec);
  });

  it('has no owner while it shall outlive the Application, and says who holds it', () => {
    const app = application([deploy('prod')]);
    const { metadata } = child(deploy('prod'), undefined, { ...app, spec: { ...app.spec, deletionPolicy: 'Orphan' } });
    expect(metadata.ownerReferences).toBeUndefined();
    expect(metadata.annotations).toMatchObject({ 'gitops.kubesphere.io/held-by': 'web' });
    expect(child(deploy('prod')).metadata.annotations).not.toHaveProperty(['gitops.kubesphere.io/held-by']);
  });

  it.each([
    [undefined, 'shop'],
    ['platform', 'platform'],
  ])('takes its chart from a source whose namespace is stated as %j out of %s', (namespace, expected) => {
    const app = application([deploy('prod')]);
    const sourceRef = { ...SOURCE.sourceRef, ...(namespace === undefined ? {} : { namespace }) };
    const spec = { ...app.spec, fluxApp: { spec: { ...app.spec.fluxApp!.spec, source: { sourceRef } } } };
    const { spec: made } = child(deploy('prod'), undefined, { ...app, spec });
    expect(made['chart']).toMatchObject({ spec: { sourceRef: { ...SOURCE.sourceRef, namespace: expected } } });
  });

  it('refers to an OCI artifact as the chart itself', () => {
    const app = application([deploy('prod')]);
    const source = { sourceRef: { kind: 'OCIRepository' as const, name: 'podinfo', namespace: 'charts' } };
    const spec = { ...app.spec, fluxApp: { spec: { ...app.spec.fluxApp!.spec, source } } };
    const { spec: made } = child(deploy('prod'), undefined, { ...app, spec });
    expect(made['chartRef']).toEqual({ kind: 'OCIRepository', name: 'podinfo', namespace: 'charts' });
    expect(made).not.toHaveProperty('chart');
  });

  it('keeps the name that it has, and takes the next one when another object sits on it', () => {
    const fresh = child(deploy('prod'));
    const live = { ...fresh, metadata: { ...fresh.metadata, name: 'older-name' } };
    expect(child(deploy('prod'), live).metadata.name).toBe('older-name');
    const app = application([deploy('prod')]);
    const entry = entriesOf(app)[0]!;
    const name = freeChildName(['web', entry.key], entry.release, (taken) => taken === fresh.metadata.name);
    const { object } = desiredChild(app, entry, undefined, { name });
    expect(object.metadata.name).toMatch(/^web-prod-[a-z2-7]{10}$/);
    expect(object.metadata.name).not.toBe(fresh.metadata.name);
  });

  it('of ks-devops keeps the release that it has', () => {
    const live = legacyChild('web7x', 'prod', { targetNamespace: 'prod' });
    expect(child(deploy('prod'), live).spec).toMatchObject({ releaseName: 'prod-web7x', storageNamespace: 'shop' });
  });

  it('of files is a Kustomization that takes every field over, from a source with its namespace', () => {
    const fields = {
      path: './prod',
      patches: [{ patch: '[]', target: { kind: 'Deployment' } }],
      postBuild: { substitute: { color: 'blue' } },
      decryption: { provider: 'sops' as const, secretRef: { name: 'keys' } },
    };
    const app = filesApplication([files('prod', 'eu', { ...fields, template: 'unused' })]);
    const { apiVersion, kind, spec } = desiredChild(app, entriesOf(app)[0]!, undefined).object;
    expect([apiVersion, kind]).toEqual(['kustomize.toolkit.fluxcd.io/v1', 'Kustomization']);
    expect(spec).toEqual({
      interval: '10m',
      prune: true,
      ...fields,
      sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'shop' },
      targetNamespace: 'prod',
      kubeConfig: { secretRef: { name: 'eu' } },
    });
  });

  it('has a digest that follows what is applied and nothing else', () => {
    const first = digest(child(deploy('prod', 'eu', { values: { a: 1, b: 2 } })));
    expect(digest(child(deploy('prod', 'eu', { values: { b: 2, a: 1 } })))).toBe(first);
    expect(digest(child(deploy('prod', 'eu', { values: { a: 1, b: 3 } })))).not.toBe(first);
    expect(digest(child(deploy('prod', 'eu', { name: 'main', values: { a: 1, b: 2 } })))).not.toBe(first);
  });

  describe('with labels for its namespace', () => {
    const annotation = 'gitops.kubesphere.io/namespace-metadata';
    const wishOf = (object: Child): string | undefined => object.metadata.annotations?.[annotation];
    const labelled = deploy('prod', 'eu', { namespaceLabels: { b: '2', a: '1' }, namespaceAnnotations: { note: 'x' } });
    const plain = deploy('prod', 'eu');

    it('has them in an annotation, and not in its spec', () => {
      expect(wishOf(child(labelled))).toBe('{"annotations":{"note":"x"},"labels":{"a":"1","b":"2"}}');
      expect(child(labelled).spec).toEqual(child(plain).spec);
      expect(digest(child(labelled))).not.toBe(digest(child(plain)));
    });

    it('keeps an empty annotation when they are no longer wanted, until the engine has removed it', () => {
      const after = child(plain, child(labelled));
      expect(wishOf(after)).toBe('{}');
      expect(wishOf(child(plain, after))).toBe('{}');
      expect(wishOf(child(plain, child(plain)))).toBeUndefined();
      expect(digest(after)).toBe(digest(child(plain)));
    });
  });
});
