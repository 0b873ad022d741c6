import { expect, test } from '@jest/globals';
import { eventResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';
import { revisionsOf, rewriteRevision } from './stored-revisions.js';

/** Names of HelmReleases whose reads fail. */
const unanswered = new Set<string>();

/** The controller's client. The controller gets a HelmRelease by name only to find out whether it exists. */
function withGaps(kube: Kube): Kube {
  return new Proxy(kube, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: Parameters<Kube['get']>): unknown => {
        const [type, ref] = args;
        if (property === 'get' && type === helmReleaseResource && unanswered.has(ref.name)) {
          const status = { code: 403, reason: 'Forbidden', causes: [] };
          return Promise.reject(new TransientError(`${ref.name} may not be read`, { status, reason: 'Forbidden' }));
        }
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

const harness = useHarness('hr-claim', { charts: { plain: PLAIN, other: PLAIN }, through: withGaps });

const ORIGIN = { name: 'helm.toolkit.fluxcd.io/name', namespace: 'helm.toolkit.fluxcd.io/namespace' };

async function uidOf(name: string): Promise<string> {
  const uid = (await harness.configMap(name))?.metadata.uid;
  if (uid === undefined) throw new Error(`no ConfigMap ${name}`);
  return uid;
}

/** Deletes a HelmRelease, but keeps its release. */
async function leave(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { spec: { suspend: true } } });
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
}

function untilRefused(name: string, message: string, reason = 'StateError'): Promise<unknown> {
  return harness.until(name, (release) => {
    const facts = { status: 'True', reason, message: expect.stringContaining(message) };
    expect(conditionOf(release, 'Stalled')).toMatchObject(facts);
  });
}

async function eventsOf(name: string): Promise<string[]> {
  const { items } = await harness.host.list<Unstructured>(eventResource, { namespace: harness.namespace });
  const own = items.filter((event) => isMap(event['involvedObject']) && event['involvedObject']['name'] === name);
  return own.map((event) => `${String(event['reason'])}: ${String(event['message'])}`);
}

/** Labels a revision as if a HelmRelease of another host had made it. */
function asOfAnotherHost(name: string, version: number, namespace: string): Promise<void> {
  return rewriteRevision(harness, name, version, { labels: { [ORIGIN.name]: 'far', [ORIGIN.namespace]: namespace } });
}

test('a release whose HelmRelease was suspended and deleted is taken over by the next one, with an upgrade', async () => {
  await harness.apply('old-name', { releaseName: 'web' });
  await harness.untilReady('old-name');
  const uid = await uidOf('web');
  await leave('old-name');
  await harness.apply('new-name', { releaseName: 'web' });
  const { status } = await harness.untilReady('new-name');
  expect(status?.history).toMatchObject([{ version: 2, status: 'deployed' }]);
  expect(await revisionsOf(harness, 'web')).toEqual(['1 superseded', '2 deployed']);
  expect(await uidOf('web')).toBe(uid);
  await eventually(async () => {
    expect(await eventsOf('new-name')).toContain(
      `ReleaseTakenOver: taking release web over from HelmRelease ${harness.namespace}/old-name, which no longer exists`,
    );
  });
});

test('while its HelmRelease exists it is refused without a bad advice, and taken over as soon as that is gone', async () => {
  await harness.apply('owner', { releaseName: 'held' });
  await harness.untilReady('owner');
  const uid = await uidOf('held');
  await harness.apply('heir', { releaseName: 'held' });
  await untilRefused(
    'heir',
    `release held belongs to HelmRelease ${harness.namespace}/owner: set another spec.releaseName. Deleting that ` +
      'HelmRelease uninstalls the release; to hand it over, first set spec.suspend: true there, and then delete it',
    'ReleaseHeld',
  );
  expect(await revisionsOf(harness, 'held')).toEqual(['1 deployed']);
  await leave('owner');
  // This happens long before the interval of 10 minutes.
  await harness.untilReady('heir');
  expect(await revisionsOf(harness, 'held')).toEqual(['1 superseded', '2 deployed']);
  expect(await uidOf('held')).toBe(uid);
});

test('the objects of another HelmRelease are not applied with a second record, and stay when the one that waits goes', async () => {
  const joining = { releaseName: 'joint', storageNamespace: 'default' };
  const ref = { name: 'joins', namespace: harness.namespace };
  await harness.apply('keeps', { releaseName: 'joint' });
  await harness.untilReady('keeps');
  const uid = await uidOf('joint');
  const message = `release joint in namespace ${harness.namespace} is that of HelmRelease ${harness.namespace}/keeps: set another spec.releaseName`;
  await harness.apply('joins', joining);
  await untilRefused('joins', message, 'TargetTaken');
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
  expect(await uidOf('joint')).toBe(uid);
  await harness.apply('joins', joining);
  await untilRefused('joins', message, 'TargetTaken');
  await leave('keeps');
  await harness.untilReady('joins');
  expect(await uidOf('joint')).toBe(uid);
});

test('as long as the API server does not say that it is gone, nothing is taken over', async () => {
  await harness.apply('silent', { releaseName: 'kept' });
  await harness.untilReady('silent');
  await leave('silent');
  unanswered.add('silent');
  await harness.apply('waiting', { releaseName: 'kept' });
  await harness.until('waiting', (release) => {
    const message = expect.stringContaining(
      `cannot tell whether HelmRelease ${harness.namespace}/silent, to which release kept belongs, still exists: ` +
        'silent may not be read',
    );
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'Forbidden', message });
    expect(conditionOf(release, 'Reconciling')?.status).toBe('True');
  });
  expect(await revisionsOf(harness, 'kept')).toEqual(['1 deployed']);
  unanswered.delete('silent');
  await harness.untilReady('waiting');
  expect(await revisionsOf(harness, 'kept')).toEqual(['1 superseded', '2 deployed']);
});

test('a release that another host took is not taken back: two hosts would do so for ever', async () => {
  await harness.apply('first', { releaseName: 'shared' });
  await harness.untilReady('first');
  const ref = { name: 'first', namespace: harness.namespace };
  const request = async (requestedAt: string): Promise<void> => {
    const annotations = { 'reconcile.fluxcd.io/requestedAt': requestedAt };
    await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata: { annotations } } });
  };
  await asOfAnotherHost('shared', 1, harness.namespace);
  await request('1');
  await untilRefused('first', `HelmRelease ${harness.namespace}/far took release shared over, and does not exist here`);
  await asOfAnotherHost('shared', 1, 'away');
  await request('2');
  await untilRefused('first', 'release shared belongs to HelmRelease away/far of another namespace');
  expect(await revisionsOf(harness, 'shared')).toEqual(['1 deployed']);
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
  expect(await revisionsOf(harness, 'shared')).toEqual(['1 deployed']);
});

test('an action that may still run has its time first', async () => {
  await harness.apply('starter', { releaseName: 'busy' });
  await harness.untilReady('starter');
  await leave('starter');
  await rewriteRevision(harness, 'busy', 1, { status: 'pending-upgrade' });
  const { uid } = (await harness.member.get(secretResource, {
    name: 'sh.helm.release.v1.busy.v1',
    namespace: harness.namespace,
  }))!.metadata; // just rewritten
  await harness.apply('next', { releaseName: 'busy', timeout: '10m' });
  await harness.until('next', (release) => {
    const message = expect.stringContaining('release busy is pending-upgrade, and HelmRelease');
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'ReleaseHeld', message });
  });
  expect(await revisionsOf(harness, 'busy')).toEqual(['1 pending-upgrade']);
  // The timeout of the HelmRelease that takes over counts, and it has passed by now.
  await harness.apply('next', { releaseName: 'busy', timeout: '1s' });
  await harness.untilReady('next');
  expect(await revisionsOf(harness, 'busy')).toEqual(['1 failed', '2 deployed']);
  const secret = await harness.member.get(secretResource, {
    name: 'sh.helm.release.v1.busy.v1',
    namespace: harness.namespace,
  });
  expect(secret?.metadata.uid).toBe(uid);
});

test('a release of another chart is no inheritance, unless the spec says so', async () => {
  await harness.apply('database', { releaseName: 'data' });
  await harness.untilReady('database');
  await leave('database');
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  const spec = { releaseName: 'data', chart: { spec: { chart: 'other', version: '1.0.0', sourceRef } } };
  await harness.apply('app', spec);
  await untilRefused('app', 'which no longer exists, is another one (chart name plain -> other)');
  expect(await revisionsOf(harness, 'data')).toEqual(['1 deployed']);
  await harness.apply('app', { ...spec, upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } });
  await harness.untilReady('app');
  expect(await revisionsOf(harness, 'data')).toEqual(['1 superseded', '2 deployed']);
});

test('an event says that the release of another chart was uninstalled, and why', async () => {
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  await harness.apply('swapped', {});
  await harness.untilReady('swapped');
  await harness.apply('swapped', { chart: { spec: { chart: 'other', version: '1.0.0', sourceRef } } });
  await eventually(async () => {
    expect(await eventsOf('swapped')).toContain(
      `UninstallSucceeded: Helm uninstall succeeded for release ${harness.namespace}/swapped: chart name plain -> other`,
    );
  });
  await harness.untilReady('swapped');
});
