import { describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { eventually } from '../../support/world.js';
import { asAdmin } from './as-admin.js';
import { BASE, type Sent } from './harness.js';

const { setting, at, call, live } = asAdmin('replay');

/** As the form of the console sends a Helm chart: nulls, no interval of the chart, an empty line of value files. */
function fluxForm(name: string): object {
  const chart = { chart: 'web', version: '1.x', valuesFiles: [''] };
  const destination = { kubeConfig: null, targetNamespace: 'web' };
  const actions = { install: null, upgrade: null, test: null, uninstall: null, values: null, valuesFrom: null };
  const deploy = [{ destination, interval: '10m', releaseName: name, storageNamespace: 'flux-system', ...actions }];
  const sourceRef = { apiVersion: 'source.toolkit.fluxcd.io/v1beta2', kind: 'HelmRepository', name: 'fluxcd-charts' };
  const spec = { source: { sourceRef }, config: { helmRelease: { chart, deploy } } };
  return {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' },
    metadata: {
      name,
      namespace: setting.namespace,
      labels: { 'gitops.kubesphere.io/save-helm-template': 'true' },
      annotations: { 'kubesphere.io/alias-name': 'My <b>shop</b>', 'kubesphere.io/creator': 'admin' },
    },
    spec: { kind: 'fluxcd', fluxApp: { spec } },
  };
}

/** As the form of the console sends an application of Argo CD that is synced by hand. */
function argoForm(name: string): object {
  const source = { repoURL: 'https://git.example.com/a.git', targetRevision: 'HEAD', path: '.' };
  const destination = { name: 'in-cluster', server: '', namespace: 'web' };
  const syncPolicy = { manual: {}, syncOptions: ['CreateNamespace=true'] };
  return { metadata: { name }, spec: { argoApp: { spec: { project: 'default', source, destination, syncPolicy } } } };
}

describe('the calls of the console', () => {
  it('creates a Helm application with its form, and reads it back at once', async () => {
    const made = await call(at(), { method: 'POST', body: fluxForm('web') });
    expect(made).toMatchObject({ code: 200, body: { metadata: { name: 'web', namespace: setting.namespace } } });
    expect((await live('web'))?.spec.fluxApp?.spec.config.helmRelease?.chart).toEqual({
      ...{ chart: 'web', version: '1.x', valuesFiles: [] },
    });
    const detail = (await call(at('/web'))).body as Application;
    expect(detail.metadata.annotations?.['kubesphere.io/alias-name']).toBe('My <b>shop</b>');
    expect(detail.metadata.managedFields).toBeUndefined();
    const query = '?page=1&limit=10&name=sho&sortBy=updateTime&ascending=false&healthStatus=&syncStatus=';
    expect((await call(at(query))).body).toMatchObject({ totalItems: 1, items: [{ metadata: { name: 'web' } }] });
    expect((await call(at('?limit=10&page=2'))).body).toEqual({ items: [], totalItems: 1 });
    expect((await call(at('?limit=-1&foo=bar'))).body).toMatchObject({ totalItems: 1 });
  });

  it('creates one of Argo CD with its form, and keeps what it says', async () => {
    expect((await call(at(), { method: 'POST', body: argoForm('argo') })).code).toBe(200);
    expect(await live('argo')).toMatchObject({
      spec: { argoApp: { spec: { syncPolicy: { syncOptions: ['CreateNamespace=true'] } } } },
    });
    expect(JSON.stringify(await live('argo'))).not.toContain('manual');
    expect((await call(at('/argo/sync'), { method: 'POST', body: { prune: true } })).code).toBe(400);
  });

  it('counts for the cards (bug 18 of ks-devops), and names the clusters of the form', async () => {
    await call(at(), { method: 'POST', body: fluxForm('web') });
    const { body } = await call(`${BASE}/namespaces/${setting.namespace}/application-summary`);
    expect(body).toMatchObject({ total: 1, healthStatus: { Healthy: 0, Unknown: 1 }, syncStatus: { Unknown: 1 } });
    const { body: clusters } = await call(`${BASE}/clusters`);
    expect(clusters).toEqual([{ server: 'https://kubernetes.default.svc', name: 'in-cluster' }]);
  });

  it('syncs those of Flux, too (bug 18 of ks-devops), and forces by either name of the field', async () => {
    await call(at(), { method: 'POST', body: fluxForm('web') });
    const synced = await call(at('/web/sync'), { method: 'POST', body: { syncStrategy: { apply: { force: true } } } });
    expect(synced.code).toBe(200);
    const { annotations = {} } = (await live('web'))?.metadata ?? {};
    expect(annotations['reconcile.fluxcd.io/requestedAt']).toMatch(/^\d{4}-.*Z$/);
    expect(annotations['reconcile.fluxcd.io/forceAt']).toBe(annotations['reconcile.fluxcd.io/requestedAt']);
  });

  it('edits without a version, and takes nothing away that it does not know', async () => {
    await call(at(), { method: 'POST', body: fluxForm('web') });
    const { kube, namespace } = setting;
    const body = { metadata: { annotations: { pin: '3' }, finalizers: ['example.com/keep'] } };
    const pinned = await kube.patch<Application>(
      applicationResource,
      { name: 'web', namespace },
      { type: 'merge', body },
    );
    setting.server.applications.recordWrite(pinned);
    const edited = await call(at('/web'), { method: 'PUT', body: fluxForm('web') });
    expect(edited.code).toBe(200);
    const { metadata } = (await live('web')) ?? { metadata: {} };
    expect(metadata).toMatchObject({ annotations: { pin: '3' }, finalizers: ['example.com/keep'] });
    await kube.patch(
      applicationResource,
      { name: 'web', namespace },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
  });

  it('loses no concurrent edit of who says what he read (bug S2 of ks-devops)', async () => {
    const first = (await call(at(), { method: 'POST', body: fluxForm('web') })).body as Application;
    expect((await call(at('/web'), { method: 'PUT', body: first })).code).toBe(200);
    const changed = { ...first, metadata: { ...first.metadata, labels: { a: 'b' } } };
    expect((await call(at('/web'), { method: 'PUT', body: changed })).code).toBe(200);
    expect((await call(at('/web'), { method: 'PUT', body: first })).code).toBe(409);
    expect((await live('web'))?.metadata.labels).toEqual({ a: 'b' });
  });

  it('refuses the form of Argo CD for a Flux application', async () => {
    await call(at(), { method: 'POST', body: fluxForm('web') });
    const answer = await call(at('/web'), { method: 'PUT', body: argoForm('web') });
    expect(answer).toMatchObject({ code: 422, type: 'text/plain; charset=utf-8' });
    expect((await live('web'))?.spec.kind).toBe('fluxcd');
  });

  it('leaves what runs with cascade=false (bug 23 of ks-devops), and refuses what it cannot read', async () => {
    await call(at(), { method: 'POST', body: fluxForm('web') });
    expect((await call(at('/web?cascade=no'), { method: 'DELETE' })).code).toBe(400);
    expect((await live('web'))?.metadata.deletionTimestamp).toBeUndefined();
    const { kube, namespace } = setting;
    const holding = (finalizers: string[] | null): Promise<Application> =>
      kube.patch(
        applicationResource,
        { name: 'web', namespace },
        { type: 'merge', body: { metadata: { finalizers } } },
      );
    setting.server.applications.recordWrite(await holding(['example.com/keep']));
    // The garbage collector takes its finalizer away within milliseconds.
    const seen: string[] = [];
    setting.server.applications.onChange(({ object }) => seen.push(...(object.metadata.finalizers ?? [])));
    try {
      const deleted = await call(at('/web?cascade=false'), { method: 'DELETE' });
      expect(deleted).toMatchObject({ code: 200, body: { metadata: { name: 'web' } } });
      await eventually(() => expect(seen).toContain('orphan'));
    } finally {
      await holding(null);
    }
  });
});

describe('bad input', () => {
  it.each<[string, () => [string, Sent], number]>([
    ['10 MB', () => [at(), { method: 'POST', raw: `"${'x'.repeat(10_000_000)}"` }], 413],
    ['no JSON', () => [at(), { method: 'POST', raw: '{"a":' }], 400],
    [
      'lists in lists in lists',
      () => [at(), { method: 'POST', raw: `${'['.repeat(200_000)}${']'.repeat(200_000)}` }],
      400,
    ],
    ['a path upwards', () => [at('/../../../secrets'), {}], 404],
    ['an encoded path upwards', () => [at('/%2e%2e%2f%2e%2e%2fsecrets'), {}], 404],
    ['an encoded slash in a namespace', () => [`${BASE}/namespaces/a%2Fb/applications`, {}], 404],
    ['a broken encoding', () => [at('/%zz'), {}], 404],
    ['a long name', () => [at(`/${'a'.repeat(2_000)}`), {}], 404],
    ['capitals', () => [at('/WEB'), {}], 404],
    ['another method', () => [at('/web'), { method: 'PATCH', body: {} }], 404],
    ['a selector that is none', () => [at('?labelSelector=%3D%3D'), {}], 400],
    [
      'a spec that the schema refuses',
      () => [at(), { method: 'POST', body: { metadata: { name: 'x' }, spec: { kind: '<b>' } } }],
      422,
    ],
    [
      'a name that is none',
      () => [at(), { method: 'POST', body: { metadata: { name: '<img src=x>' }, spec: {} } }],
      422,
    ],
  ])('%s is answered, as text without HTML', async (_, request, code) => {
    const answer = await call(...request());
    expect(`${answer.code} ${answer.code === code ? '' : answer.text}`).toBe(`${code} `);
    expect(answer.type).toBe('text/plain; charset=utf-8');
    expect(answer.text).not.toMatch(/[<>]/);
  });

  it('numbers keep all their digits', async () => {
    const text = JSON.stringify(fluxForm('web')).replace('"values":null', '"values":{"big":9007199254740993}');
    expect((await call(at(), { method: 'POST', raw: text })).text).toContain('"big":9007199254740993');
    expect((await call(at('/web'))).text).toContain('"big":9007199254740993');
  });

  it('a client that never finishes its request loses its connection', async () => {
    const socket = connect(setting.server.port, '127.0.0.1');
    socket.resume();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Le');
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => resolve()));
    await closed;
    socket.destroy();
  });
});

it('has a line in the log for each change, whatever became of it', async () => {
  const { lines } = setting.server;
  lines.length = 0;
  await call(at(), { method: 'POST', body: fluxForm('web') });
  await call(at('/none'), { method: 'DELETE' });
  await call(at());
  const { namespace } = setting;
  const user = `system:serviceaccount:${namespace}:admin`;
  const changes = lines.filter(({ msg }) => msg === 'change requested');
  expect(changes).toMatchObject([
    { user, method: 'POST', object: { namespace, name: 'web' }, code: 200 },
    { user, method: 'DELETE', object: { namespace, name: 'none' }, code: 404 },
  ]);
  expect(JSON.stringify(lines)).not.toContain(setting.token);
});
