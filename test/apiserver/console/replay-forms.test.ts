import { describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { eventually } from '../../support/world.js';
import { asAdmin } from './as-admin.js';
import { argoDetail } from './as-console.js';

/** Each body that forms and dialogs of the console send, filled as far as they go. */
const { setting, at, call, live } = asAdmin('replay-forms');

const HEAD = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' };
const metadataOf = (name: string): object => ({
  ...{ name, namespace: setting.namespace },
  annotations: { 'kubesphere.io/alias-name': '', 'kubesphere.io/description': 'x', 'kubesphere.io/creator': 'admin' },
});

/** Values by paths, and what is typed as `a=b;c=d`, which the form turns into maps of texts. */
function helmForm(name: string): object {
  const destination = { kubeConfig: { secretRef: { name: 'eu' } }, targetNamespace: 'web' };
  const actions = {
    install: { createNamespace: 'true', timeout: '5m' },
    upgrade: { force: 'true' },
    test: { enable: 'true' },
    uninstall: { keepHistory: 'false' },
  };
  const valuesFrom = [{ kind: 'ConfigMap', name: 'web', valuesKey: 'values.yaml' }];
  const entry = { destination, interval: '10m', releaseName: name, storageNamespace: 'flux-system', ...actions };
  const chart = { chart: 'web', version: '1.2.3', valuesFiles: ['values.yaml', 'prod.yaml'] };
  const deploy = [{ ...entry, values: { image: { tag: '1.0' }, replicas: '2' }, valuesFrom }];
  const sourceRef = { apiVersion: 'source.toolkit.fluxcd.io/v1beta2', kind: 'HelmRepository', name: 'fluxcd-charts' };
  const spec = { source: { sourceRef }, config: { helmRelease: { chart, deploy } } };
  return { ...HEAD, metadata: metadataOf(name), spec: { kind: 'fluxcd', fluxApp: { spec } } };
}

function kustomizationForm(name: string): object {
  const kustomization = [
    { destination: { kubeConfig: null, targetNamespace: 'web' }, path: './deploy', interval: '10m' },
  ];
  const sourceRef = { apiVersion: 'source.toolkit.fluxcd.io/v1beta2', kind: 'GitRepository', name: 'fluxcd-web' };
  const spec = { source: { sourceRef }, config: { kustomization } };
  return { ...HEAD, metadata: metadataOf(name), spec: { kind: 'fluxcd', fluxApp: { spec } } };
}

const OPTIONS = [
  ...['Validate=true', 'CreateNamespace=true', 'PruneLast=true', 'ApplyOutOfSyncOnly=true'],
  ...['PrunePropagationPolicy=foreground', 'Replace=false'],
];

function argoForm(name: string, source: object = {}): object {
  const spec = {
    project: 'default',
    source: { repoURL: 'https://git.example.com/a.git', targetRevision: 'HEAD', path: '.', ...source },
    destination: { name: 'in-cluster', server: 'https://kubernetes.default.svc', namespace: 'web' },
    syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: OPTIONS },
  };
  return { ...HEAD, metadata: metadataOf(name), spec: { kind: 'argocd', argoApp: { spec } } };
}

describe('the forms of the console', () => {
  it('make files of a repository: no prune, and the host as null', async () => {
    expect((await call(at(), { method: 'POST', body: kustomizationForm('pages') })).code).toBe(200);
    const entry = (await live('pages'))?.spec.fluxApp?.spec.config.kustomization?.[0];
    expect(entry).toMatchObject({ path: './deploy', interval: '10m', destination: { targetNamespace: 'web' } });
    expect(entry?.destination).not.toHaveProperty('kubeConfig');
  });

  it('make a filled Helm application, or say which field is no such thing', async () => {
    const made = await call(at(), { method: 'POST', body: helmForm('web') });
    // The form sends `true` as a text: the schema says so, with the field.
    expect([made.code, made.text]).toEqual([422, expect.stringMatching(/install\.createNamespace.*boolean/s)]);
    const text = JSON.stringify(helmForm('web')).replaceAll(/"(true|false)"/g, '$1');
    expect((await call(at(), { method: 'POST', raw: text })).code).toBe(200);
    const [entry] = (await live('web'))?.spec.fluxApp?.spec.config.helmRelease?.deploy ?? [];
    expect(entry).toMatchObject({
      install: { createNamespace: true, timeout: '5m' },
      values: { image: { tag: '1.0' }, replicas: '2' },
      valuesFrom: [{ kind: 'ConfigMap', name: 'web', valuesKey: 'values.yaml' }],
    });
  });

  it('make one of Argo CD that is synced by itself, edit it, and list it', async () => {
    expect((await call(at(), { method: 'POST', body: argoForm('argo') })).code).toBe(200);
    expect((await live('argo'))?.spec.argoApp).toMatchObject({
      spec: { syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: OPTIONS } },
    });
    const source = {
      helm: { parameters: [{ name: 'image.tag', value: '1' }], valueFiles: ['a.yaml'], releaseName: 'web' },
      kustomize: { images: ['web:1.0'], namePrefix: 'a-' },
      directory: { recurse: true },
    };
    const saved = (await call(at('/argo'))).body as Application;
    const { metadata } = saved;
    const body = { ...argoForm('argo', source), metadata: { ...metadata, labels: { edited: 'yes' } } };
    expect((await call(at('/argo'), { method: 'PUT', body })).code).toBe(200);
    expect(await live('argo')).toMatchObject({
      metadata: { labels: { edited: 'yes' } },
      spec: { argoApp: { spec: { source } } },
    });
    const status = {
      ...{ sync: { status: 'Synced', revision: '0123456789' }, health: { status: 'Healthy' } },
      ...{ reconciledAt: '2026-01-01T00:00:00Z', operationState: { syncResult: { resources: [] } } },
    };
    const place = { name: 'argo', namespace: setting.namespace };
    const patch = { type: 'merge' as const, body: { status: { argoApp: JSON.stringify(status) } } };
    setting.server.applications.recordWrite(
      await setting.kube.patch<Application>(applicationResource, place, patch, { subresource: 'status' }),
    );
    const rows = (await call(at('?page=1&limit=10&sortBy=updateTime&ascending=false'))).body as { items: unknown[] };
    expect(rows.items.map(argoDetail)).toMatchObject([{ sync: 'Synced', revision: '012345', health: 'Healthy' }]);
    expect(argoDetail((await call(at('/argo'))).body)).toMatchObject({ source });
  });
});

describe('the dialogs of the console', () => {
  const modal = {
    ...{ revision: '', dryRun: false, prune: true, applyOnly: false, repoSource: 'https://git.example.com/a.git' },
    ...{ syncStrategy: { apply: { force: true } }, syncOptions: ['Validate=true'], resources: null, infos: [] },
    retryStrategy: { limit: 2, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } },
  };

  it('sync with all that they send, and refuse what Flux has no word for', async () => {
    await call(at(), { method: 'POST', body: kustomizationForm('pages') });
    expect((await call(at('/pages/sync'), { method: 'POST', body: modal })).code).toBe(200);
    expect((await live('pages'))?.metadata.annotations).toMatchObject({
      'reconcile.fluxcd.io/forceAt': expect.stringMatching(/Z$/),
    });
    const only = await call(at('/pages/sync'), { method: 'POST', body: { ...modal, applyOnly: true } });
    expect([only.code, only.text]).toEqual([400, 'Flux cannot sync with applyOnly\n']);
  });

  it('delete with cascade=true as without, where the Application decides', async () => {
    await call(at(), { method: 'POST', body: kustomizationForm('pages') });
    const deleted = await call(at('/pages?cascade=true'), { method: 'DELETE' });
    expect(deleted).toMatchObject({ code: 200, body: { metadata: { name: 'pages' } } });
    await eventually(async () => expect(await live('pages')).toBeUndefined());
  });
});
