import { expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { ORIGIN_UID_LABEL } from '#api/flux/annotations.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';
import { forgeStatus, revisionsOf, rewriteRevision } from './stored-revisions.js';

const harness = useHarness('hr-hosts', { charts: { plain: PLAIN } });

async function markOf(name: string, version = 1): Promise<string | undefined> {
  const ref = { name: `sh.helm.release.v1.${name}.v${version}`, namespace: harness.namespace };
  return (await harness.member.get(secretResource, ref))?.metadata.labels?.[ORIGIN_UID_LABEL];
}

/** Marks the release as the HelmRelease of the same name that was restored on another host does. */
function markAsOfAnotherHost(name: string): Promise<void> {
  return rewriteRevision(harness, name, 1, { labels: { [ORIGIN_UID_LABEL]: 'there' } });
}

async function remove(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
}

async function request(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata: { annotations } } });
}

test('a release that another host continues is neither changed nor uninstalled by the host that had it', async () => {
  await harness.apply('moved', { releaseName: 'moved' });
  const { metadata } = await harness.untilReady('moved');
  expect(await markOf('moved')).toBe(metadata.uid);
  await harness.until('moved', ({ status }) => expect(status?.uid).toBe(metadata.uid));
  await markAsOfAnotherHost('moved');
  await request('moved');
  await harness.until('moved', (release) => {
    const message = expect.stringContaining(`another HelmRelease ${harness.namespace}/moved continues release moved`);
    expect(conditionOf(release, 'Stalled')).toMatchObject({ status: 'True', reason: 'StateError', message });
  });
  await remove('moved');
  expect(await revisionsOf(harness, 'moved')).toEqual(['1 deployed']);
  expect(await harness.configMap('moved')).toBeDefined();
});

test('a release that another host continues is not uninstalled, even if nobody looked since', async () => {
  await harness.apply('left', { releaseName: 'left' });
  await harness.untilReady('left');
  await markAsOfAnotherHost('left');
  await remove('left');
  expect(await revisionsOf(harness, 'left')).toEqual(['1 deployed']);
});

test('what helm rolls back by hand stays with the HelmRelease that continues the release', async () => {
  await harness.apply('rolled', { releaseName: 'rolled' });
  await harness.untilReady('rolled');
  const suspended = { type: 'merge', body: { spec: { suspend: true } } } as const;
  const ref = { name: 'rolled', namespace: harness.namespace };
  await harness.host.patch<KubeObject>(helmReleaseResource, ref, suspended);
  await remove('rolled');
  await harness.apply('rolled', { releaseName: 'rolled', suspend: false, values: { again: true } });
  const { metadata } = await harness.untilReady('rolled');
  await eventually(async () => expect(await revisionsOf(harness, 'rolled')).toHaveLength(2));
  expect([await markOf('rolled', 1), await markOf('rolled', 2)]).toEqual([metadata.uid, metadata.uid]);
  await harness.helm('rollback', 'rolled', '1', '--namespace', harness.namespace, '--force-conflicts');
  await request('rolled');
  await eventually(async () => expect((await revisionsOf(harness, 'rolled')).length).toBeGreaterThan(3));
  await harness.untilReady('rolled');
});

test('a HelmRelease that was restored continues its release as it is, and uninstalls it at its end', async () => {
  const ref = { name: 'restored', namespace: harness.namespace };
  await harness.apply('restored', { releaseName: 'restored' });
  const { status } = await harness.untilReady('restored');
  const suspended = { type: 'merge', body: { spec: { suspend: true } } } as const;
  await harness.host.patch<KubeObject>(helmReleaseResource, ref, suspended);
  await remove('restored');
  await markAsOfAnotherHost('restored');
  // Times of Kubernetes are whole seconds.
  await eventually(() =>
    expect(Date.now()).toBeGreaterThan(Date.parse(status?.history?.[0]?.lastDeployed ?? '') + 1_000),
  );
  await harness.apply('restored', { releaseName: 'restored', suspend: true });
  await forgeStatus(harness, 'restored', { history: status?.history, uid: status?.uid });
  await harness.apply('restored', { releaseName: 'restored', suspend: false });
  const { metadata } = await harness.untilReady('restored');
  await harness.until('restored', (release) => expect(release.status?.uid).toBe(metadata.uid));
  await eventually(async () => expect(await markOf('restored')).toBe(metadata.uid));
  expect(await revisionsOf(harness, 'restored')).toEqual(['1 deployed']);
  await remove('restored');
  expect(await harness.configMap('restored')).toBeUndefined();
});
