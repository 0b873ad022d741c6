import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';
import { keepRevision } from './people.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

const CLUSTER = 'gitops.kubesphere.io/cluster';
/** More than one answer may read, and a share of what it may make. */
const RELEASES = 40;
const TEXT = 'x'.repeat(900_000);
const OLDER = 12;

interface Tenant {
  readonly namespace: string;
  readonly token: string;
}

interface Setting {
  readonly kube: Kube;
  /** Has large releases that are none of an Application; has older Applications. */
  readonly tenants: Record<'hoarder' | 'elder', Tenant>;
  readonly console: Console;
  /** In front of the host: all that the console asks. */
  readonly host: FaultProxy;
}

function applicationOf(namespace: string, name: string, entry: object): Application {
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const config = { helmRelease: { chart: { chart: 'web' }, deploy: [entry] } };
  const spec = { kind: 'fluxcd', fluxApp: { spec: { source, config } } };
  const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name, namespace } };
  return { ...object, spec } as unknown as Application; // the API server checks it
}

const ENTRY = {
  destination: { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'shop' },
  releaseName: 'web',
};

async function makeTenant(kube: Kube, namespace: string): Promise<Tenant> {
  const { user, token } = await account(kube, namespace, 'owner');
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'create'] }];
  await grant(kube, 'owner', { namespace, user, rules });
  const metadata = { name: 'eu', namespace, labels: { [CLUSTER]: 'true', tier: 'edge' } };
  await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
  return { namespace, token };
}

async function hoard(kube: Kube, namespace: string): Promise<void> {
  const spec = { interval: '1h', chartRef: { kind: 'OCIRepository', name: 'x' }, values: { text: TEXT } };
  for (let index = 0; index < RELEASES; index += 1) {
    const metadata = { name: `r${index}`, namespace };
    await kube.create(helmReleaseResource, {
      ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata },
      ...{ spec },
    });
  }
}

async function remember(kube: Kube, namespace: string): Promise<void> {
  const made = await kube.create(applicationResource, applicationOf(namespace, 'aged', ENTRY));
  for (let number = 1; number <= RELEASES; number += 1)
    await keepRevision(kube, made, { labels: { [APPLICATION_REVISION]: '1' }, number, data: { text: TEXT } });
}

/** None of them gets the release that all of them want, so that the next one is asked about. */
async function grow(kube: Kube, namespace: string): Promise<void> {
  for (let index = 0; index < OLDER; index += 1) {
    const entry = { ...ENTRY, values: { text: TEXT, broken: '${{ cluster.labels.none }}' } };
    await kube.create(applicationResource, applicationOf(namespace, `older-${index}`, entry));
  }
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const first = await prepareCluster(world.host, 'hoarder');
    const { kube } = first;
    const second = await prepareCluster(world.host, 'elder');
    await second.kube.close();
    const tenants = {
      hoarder: await makeTenant(kube, first.namespace),
      elder: await makeTenant(kube, second.namespace),
    };
    await hoard(kube, first.namespace);
    await remember(kube, first.namespace);
    await grow(kube, second.namespace);
    const host = await startFaultProxy(world.host);
    const console = await startConsole(world, { kube, namespace: first.namespace, server: host.server, isWide: true });
    return { kube, tenants, console, host };
  },
  async ({ kube, console, host }) => {
    await console.stop();
    await Promise.all([host.close(), kube.close()]);
  },
);

function preview(who: keyof Setting['tenants'], entry: object = ENTRY): Promise<Answer> {
  const { namespace, token } = setting.tenants[who];
  const path = `/api/v1/namespaces/${namespace}/preview`;
  return sendDescribed(setting.console.port, path, {
    method: 'POST',
    token,
    body: applicationOf(namespace, 'younger', entry),
  });
}

describe('a preview', () => {
  it('reads some objects at a time, and no more than an answer may cost', async () => {
    const { code, text } = await preview('hoarder');
    expect([code, text]).toEqual([422, expect.stringMatching(/more than 32 MB to read .* 3\d MB .* HelmRelease/)]);
    const asked = setting.host.http.seen.flatMap(({ path }) => {
      const { pathname, searchParams } = new URL(path, 'http://host');
      return pathname.endsWith('/helmreleases') ? [Number(searchParams.get('limit'))] : [];
    });
    // No page is larger than objects can be large together.
    expect(asked[0]).toBe(2);
    expect(Math.max(...asked)).toBe(2);
  });

  it('makes values of older Applications within what an answer may cost', async () => {
    const { code, text } = await preview('elder');
    expect([code, text]).toEqual([422, expect.stringMatching(/what a destination states is too much .* older/)]);
  });

  it('is answered where others cost little', async () => {
    const { code, text } = await preview('elder', { ...ENTRY, releaseName: 'other' });
    expect([code, JSON.parse(text)]).toMatchObject([200, { children: [{ action: 'create', cluster: 'eu' }] }]);
  });
});

it('a history reads no more of the revisions than an answer may cost', async () => {
  const { namespace, token } = setting.tenants.hoarder;
  const path = `/api/v1/namespaces/${namespace}/applications/aged`;
  await eventually(() => expect(setting.console.applications.get({ namespace, name: 'aged' })).toBeDefined());
  const { code, text } = await sendDescribed(setting.console.port, `${path}/history`, { token });
  expect([code, text]).toEqual([422, expect.stringMatching(/more than 32 MB to read .* ControllerRevision/)]);
});
