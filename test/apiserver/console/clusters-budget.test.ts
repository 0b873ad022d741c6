import { expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import {
  CREDENTIAL_BASIS_ANNOTATION,
  CREDENTIAL_CLUSTER_ANNOTATION,
  CREDENTIAL_GRANT_ANNOTATION,
  CREDENTIAL_LABEL,
} from '#api/v1alpha1/labels.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import type { Kube } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, grant, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

const FORGED = 30;
const PLACES = 10;

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly console: Console;
  /** In front of the host: all that the console asks. */
  readonly host: FaultProxy;
  /** Of two users who may read all in the namespace, and nothing elsewhere. */
  readonly tokens: Record<'one' | 'other', string>;
}

/** Says of itself that it is the kubeconfig of a granted cluster of some other namespace. */
async function forge(kube: Kube, namespace: string, place: string): Promise<void> {
  const id = { apiGroup: '', kind: 'Secret' as const, namespace: place, name: 'eu' };
  const annotations = {
    [CREDENTIAL_CLUSTER_ANNOTATION]: clusterIdText(id),
    [CREDENTIAL_GRANT_ANNOTATION]: 'forged',
    [CREDENTIAL_BASIS_ANNOTATION]: 'a',
  };
  const metadata = { namespace, name: credentialName(id), labels: { [CREDENTIAL_LABEL]: 'true' }, annotations };
  await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'forger');
    for (let index = 0; index < FORGED; index += 1) await forge(kube, namespace, `victim-${index}`);
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }];
    const [one, other] = [await account(kube, namespace, 'one'), await account(kube, namespace, 'other')];
    for (const { user, name } of [
      { ...one, name: 'one' },
      { ...other, name: 'other' },
    ])
      await grant(kube, name, { namespace, user, rules });
    const host = await startFaultProxy(world.host);
    const console = await startConsole(world, { kube, namespace, server: host.server });
    return { kube, namespace, console, host, tokens: { one: one.token, other: other.token } };
  },
  async ({ kube, console, host }) => {
    await console.stop();
    await Promise.all([host.close(), kube.close()]);
  },
);

function ask(who: keyof Setting['tokens'], query = ''): Promise<Answer> {
  const path = `/api/v1/namespaces/${setting.namespace}/clusters${query}`;
  return sendDescribed(setting.console.port, path, { token: setting.tokens[who] });
}

/** Namespaces of forged Secrets that were asked about. */
function victims(): Set<string> {
  return new Set(setting.host.http.seen.flatMap(({ path }) => /\/namespaces\/(victim-\d+)\//.exec(path)?.[1] ?? []));
}

it('asks some of the namespaces that Secrets of tenants name, and says which it left out', async () => {
  const { code, text } = await ask('one');
  expect(code).toBe(200);
  expect(victims().size).toBe(PLACES);
  const { leftOut, moreLeftOut } = JSON.parse(text) as { leftOut: readonly string[]; moreLeftOut: number };
  expect([leftOut.length, moreLeftOut]).toEqual([FORGED - PLACES, 0]);
  expect(leftOut.filter((each) => victims().has(each))).toEqual([]);
});

it('lets nobody wait for the questions of somebody else, and ends when the API server does not answer', async () => {
  const { host } = setting;
  // Whoever asks about clusters of all namespaces waits, and asks nothing else.
  const restore = host.http.inject({ match: ({ path }) => path.startsWith('/api/v1/secrets?'), silent: true });
  const everywhere = (): Promise<Answer> =>
    sendDescribed(setting.console.port, '/api/v1/clusters', { token: setting.tokens.one });
  const waiting = [everywhere(), everywhere()];
  await eventually(() => {
    if (!host.http.seen.some(({ path }) => path.startsWith('/api/v1/secrets?'))) throw new Error('nothing was asked');
  });
  expect((await ask('other')).code).toBe(200);
  for (const { code, text } of await Promise.all(waiting)) {
    expect([code, text]).toEqual([503, expect.stringContaining('no answer in time')]);
  }
  restore();
  expect((await everywhere()).code).toBe(200);
});
