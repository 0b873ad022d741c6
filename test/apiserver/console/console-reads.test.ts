import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { fixture } from '../../support/fixture.js';
import { eventually, freshNamespace, useWorld } from '../../support/world.js';
import { deploy, files, filesApplication } from '../../unit/application/model/builders.js';
import { Harness } from '../application/harness.js';
import { argoDetail, cards, fluxDestinations, fluxRows, totalOf } from './as-console.js';
import { account, BASE, grant, sendDescribed, startConsole, type Console } from './harness.js';

interface Setting {
  readonly harness: Harness;
  readonly server: Console;
  readonly token: string;
}

/** Applications are reconciled; what an engine would say is up to the test. */
const setting = fixture<Setting>(
  async () => {
    const harness = await Harness.start();
    const { kube, namespace } = harness;
    const { user, token } = await account(kube, namespace, 'developer');
    await grant(kube, 'developer', { namespace, user, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
    return { harness, server: await startConsole(await useWorld(), { kube, namespace }), token };
  },
  async ({ harness, server }) => {
    await server.stop();
    await harness.stop();
  },
);

/** The console has two forms of each address: with a cluster where there are many. */
const FORMS = [BASE, BASE.replace('/kapis', '/kapis/clusters/host')];

async function read(path: string, form = BASE): Promise<unknown> {
  const url = `${form}/namespaces/${setting.harness.namespace}${path}`;
  const { code, text } = await sendDescribed(setting.server.port, url, { token: setting.token });
  expect(code).toBe(200);
  return JSON.parse(text) as unknown;
}

const listed = '/applications?page=1&limit=10&sortBy=updateTime&ascending=false&healthStatus=&syncStatus=';
const JANUARY = '2026-01-01T00:00:00.000Z';

describe('what the pages of the console read', () => {
  it('is there for releases on the host and on a member, one of which failed', async () => {
    const { harness } = setting;
    const entries = [deploy('web', undefined), deploy('web', 'eu')].map((entry) => ({ ...entry, interval: '10m' }));
    await harness.put('web', entries);
    const children = await harness.eventuallyHas('web', 2);
    for (const child of children) {
      if (child.spec.kubeConfig === undefined) await harness.report(child, 'True', 'InstallSucceeded', 'ok');
      else await harness.report(child, 'False', 'UpgradeFailed', 'no <b>image</b>');
    }
    await eventually(async () => {
      for (const form of FORMS) {
        expect(fluxRows(await read(listed, form))).toMatchObject([
          { name: 'web', type: 'HelmRelease', source: expect.stringMatching(/^HelmRepository /), ready: '1/2' },
        ]);
        expect(fluxDestinations(await read('/applications/web', form))).toEqual([
          { key: 'web', interval: '10m', said: 'Ready True ok', since: JANUARY },
          { key: 'eu-web', interval: '10m', said: 'Ready False no <b>image</b>', since: JANUARY },
        ]);
        const summary = cards(await read('/application-summary', form));
        expect(summary).toMatchObject({ total: 1, degraded: 1, healthy: 0, progressing: 0 });
      }
    });
  });

  it('is there for files', async () => {
    const { harness } = setting;
    const { spec } = filesApplication([files('pages')]);
    await harness.apply({ ...harness.wanted('pages', []), spec });
    const [child] = await harness.eventuallyHas('pages', 1);
    await harness.report(child!, 'True', 'ReconciliationSucceeded', 'applied');
    await eventually(async () => {
      expect(fluxDestinations(await read('/applications/pages'))).toMatchObject([{ said: 'Ready True applied' }]);
      const [row] = fluxRows(await read(`${listed}&name=pages`));
      expect(row).toMatchObject({ type: 'Kustomization', ready: '1/1' });
    });
  });

  it('is found by health (bug 18 of ks-devops)', async () => {
    const { harness } = setting;
    await harness.put('well', [deploy('well', undefined)]);
    const [child] = await harness.eventuallyHas('well', 1);
    await harness.report(child!, 'True', 'InstallSucceeded');
    await eventually(async () => {
      const { items } = (await read('/applications?healthStatus=Healthy&name=well')) as { readonly items: unknown[] };
      expect(items).toHaveLength(1);
      expect(totalOf(await read('/applications?healthStatus=Degraded&name=well'))).toBe(0);
    });
  });

  it('does not break its page before the controller has seen an Application', async () => {
    const { harness } = setting;
    await harness.pause();
    const { metadata } = await harness.put('new', [deploy('new', undefined), deploy('new', 'us')]);
    await eventually(() => expect(setting.server.applications.get(metadata)).toBeDefined());
    expect(fluxDestinations(await read('/applications/new'))).toMatchObject([
      { key: 'new', said: 'Ready Unknown no status reported yet' },
      { key: 'us-new', said: 'Ready Unknown no status reported yet' },
    ]);
    expect(fluxRows(await read(`${listed}&name=new`))).toMatchObject([{ type: 'HelmRelease', ready: '0/2' }]);
  });

  it('has each cluster once, in however many projects it is (bug 20 of ks-devops)', async () => {
    const { kube, namespace } = setting.harness;
    const { user, token } = await account(kube, namespace, 'everywhere');
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }];
    await grant(kube, `${namespace}-everywhere`, { user, rules });
    const name = `${namespace}-east`;
    for (const project of [namespace, await freshNamespace(kube, 'project')]) {
      const metadata = { name, namespace: project, labels: { 'app.kubernetes.io/managed-by': 'fluxcd-controller' } };
      await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
    }
    const { text } = await sendDescribed(setting.server.port, `${BASE}/clusters`, { token });
    const clusters = JSON.parse(text) as readonly { readonly name: string }[];
    expect(clusters[0]).toEqual({ server: 'https://kubernetes.default.svc', name: 'in-cluster' });
    expect(clusters.filter((cluster) => cluster.name === name)).toEqual([{ name }]);
  });

  it('is there for one of Argo CD, whose status is a text', async () => {
    const { harness } = setting;
    const argo = {
      ...{ sync: { status: 'Synced', revision: '0123456789' }, health: { status: 'Healthy' }, reconciledAt: JANUARY },
      operationState: { syncResult: { resources: [{ kind: 'Service', name: 'web', status: 'Synced' }] } },
    };
    const source = { repoURL: 'https://git.example.com/a.git', targetRevision: 'HEAD', path: '.' };
    const spec = { argoApp: { spec: { project: 'default', source, destination: { name: 'in-cluster' } } } };
    const { metadata } = await harness.apply({ ...harness.wanted('argo', []), spec });
    const body = { status: { argoApp: JSON.stringify(argo) } };
    await harness.kube.patch(applicationResource, metadata, { type: 'merge', body }, { subresource: 'status' });
    await eventually(async () => {
      expect(argoDetail(await read('/applications/argo'))).toMatchObject({
        ...{ sync: 'Synced', revision: '012345', health: 'Healthy', reconciledAt: JANUARY, source },
        ...{ destination: { name: 'in-cluster' }, resources: ['Service web Synced'] },
      });
    });
  });
});
