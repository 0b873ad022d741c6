import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { ExplanationView } from '#queries/answers/plans.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

const SECRET = 'hunter2';
const CLUSTER = 'gitops.kubesphere.io/cluster';
const ENTRY = {
  destination: { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'shop' },
  values: { env: '${{ cluster.labels.env }}', replicas: 1 },
  valuesTemplate: 'region: {{ .ClusterLabels.region }}\nreplicas: 2\n',
  valuesFrom: [{ kind: 'Secret', name: 'credentials' }],
};

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly console: Console;
  /** In front of the host: all that the console asks. */
  readonly host: FaultProxy;
  /** May read everything in the namespace; nothing but Applications. */
  readonly tokens: Record<'owner' | 'reader', string>;
}

async function putApplication(kube: Kube, namespace: string, name: string, deploy: readonly object[]): Promise<void> {
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const config = { helmRelease: { chart: { chart: 'web' }, deploy } };
  const spec = { kind: 'fluxcd', fluxApp: { spec: { source, config } } };
  const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name, namespace } };
  await kube.create(applicationResource, { ...object, spec } as unknown as Application); // the API server checks it
}

async function putSecrets(kube: Kube, namespace: string): Promise<void> {
  const all = [
    { name: 'eu', labels: { [CLUSTER]: 'true', tier: 'edge', env: 'prod', region: 'west' } },
    { name: 'us', labels: { [CLUSTER]: 'true', tier: 'edge', env: 'test', region: 'east' } },
    { name: 'credentials' },
    ...Array.from({ length: 10 }, (_, index) => ({ name: `m${index}`, labels: { [CLUSTER]: 'true', tier: 'mass' } })),
  ];
  for (const metadata of all) {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, namespace } };
    await kube.create(secretResource, { ...secret, ...{ stringData: { 'values.yaml': `password: ${SECRET}` } } });
  }
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'console-values');
    await putSecrets(kube, namespace);
    await putApplication(kube, namespace, 'shop', [ENTRY]);
    const missing = { template: 'none', deploy: [{ destination: { targetNamespace: 'x' } }] };
    const spec = { kind: 'fluxcd', fluxApp: { spec: { config: { helmRelease: missing } } } };
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' };
    const broken = { ...object, metadata: { name: 'broken', namespace }, spec } as unknown as Application;
    await kube.create(applicationResource, broken);
    const destination = { clusterSelector: { matchLabels: { tier: 'mass' } }, targetNamespace: 'x' };
    await putApplication(kube, namespace, 'large', [{ destination, values: { text: 'x'.repeat(900_000) } }]);
    const [owner, reader] = [await account(kube, namespace, 'owner'), await account(kube, namespace, 'reader')];
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }];
    await grant(kube, 'owner', { namespace, user: owner.user, rules });
    const applications = { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['get', 'list'] };
    await grant(kube, 'reader', { namespace, user: reader.user, rules: [applications] });
    const host = await startFaultProxy(world.host);
    const console = await startConsole(world, { kube, namespace, server: host.server });
    return { kube, namespace, console, host, tokens: { owner: owner.token, reader: reader.token } };
  },
  async ({ kube, console, host }) => {
    await console.stop();
    await Promise.all([host.close(), kube.close()]);
  },
);

function ask(who: keyof Setting['tokens'], rest: string): Promise<Answer> {
  const path = `/api/v1/namespaces/${setting.namespace}/applications/${rest}`;
  return sendDescribed(setting.console.port, path, { token: setting.tokens[who] });
}

interface Values extends ExplanationView {
  readonly notes: readonly string[];
}

async function valuesOf(who: keyof Setting['tokens'], rest: string): Promise<Values> {
  const { code, text } = await ask(who, rest);
  expect({ code, text }).toMatchObject({ code: 200 });
  expect(text).not.toContain(SECRET);
  return JSON.parse(text) as Values;
}

describe('the values of an Application', () => {
  it('have the layer that each is from, and what it is on each cluster', async () => {
    const { application, destinations } = await valuesOf('owner', 'shop/values');
    expect(application).toBe(`${setting.namespace}/shop`);
    const entry = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
    const [group] = destinations;
    expect(group).toMatchObject({ entry, kind: 'HelmRelease', state: 'Explained', clusters: ['eu', 'us'] });
    expect(group?.notRead.join()).toContain('credentials');
    expect(group?.values).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: ['env'],
          perCluster: [
            { cluster: 'eu', value: 'prod' },
            { cluster: 'us', value: 'test' },
          ],
        }),
        expect.objectContaining({ path: ['replicas'], value: 2, from: `${entry}.valuesTemplate` }),
      ]),
    );
  });

  it('are those of one cluster if that is asked for', async () => {
    const { destinations } = await valuesOf('owner', 'shop/values?cluster=us');
    expect(destinations.map(({ clusters }) => clusters)).toEqual([['us']]);
    expect(destinations[0]?.values).toContainEqual(expect.objectContaining({ path: ['region'], value: 'east' }));
  });

  it('may be much on one cluster', async () => {
    const { destinations } = await valuesOf('owner', 'large/values?cluster=m7');
    expect(JSON.stringify(destinations[0]?.values).length).toBeGreaterThan(900_000);
  });

  it('are only made of what the user may read, and say so', async () => {
    const secrets = (): number => setting.host.http.seen.filter((each) => each.path.includes('/secrets')).length;
    const before = secrets();
    const { destinations, notes } = await valuesOf('reader', 'shop/values');
    expect(destinations).toEqual([]);
    expect(notes[0]).toMatch(/^You may not read .*secrets.*: what depends on them looks as if there were none/);
    expect(secrets()).toBeGreaterThan(before);
  });

  it.each<[string, string, number, RegExp]>([
    ['another cluster', 'shop/values?cluster=mars', 400, /cluster \\"mars\\": .* choose one of eu, us/],
    ['another key', 'shop/values?clusters=eu', 400, /no key of this query/],
    ['more than fits into an answer', 'large/values', 422, /what 10 destinations state is too much .* ask for one/],
    ['an Application that is rejected', 'broken/values', 422, /broken is rejected: .*template/],
  ])('of %s are refused', async (_, rest, code, says) => {
    expect(await ask('owner', rest)).toMatchObject({ code, text: expect.stringMatching(says) });
  });

  it('are few at a time for one user, and end when the API server does not answer', async () => {
    const restore = setting.host.http.inject({ match: ({ path }) => path.includes('/secrets?'), silent: true });
    const waiting = ['shop/values', 'shop/values'].map((rest) => ask('owner', rest));
    await eventually(async () => expect(await ask('owner', 'shop/values')).toMatchObject({ code: 429 }));
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ code: 503, text: expect.stringContaining('no answer in time') });
    }
    restore();
    await valuesOf('owner', 'shop/values');
  });
});
