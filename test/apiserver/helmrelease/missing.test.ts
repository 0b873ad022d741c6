import { expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { auditEntries, auditPosition } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-missing', { charts: { plain: PLAIN } });
let passes = 0;

/** A pass from beginning to end, as the interval makes one. */
async function look(name: string, more: Record<string, string> = {}): Promise<HelmRelease> {
  passes += 1;
  const requestedAt = `pass-${passes}`;
  const forced = Object.fromEntries(Object.keys(more).map((key) => [key, requestedAt]));
  const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt, ...forced } } };
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body }, { fieldManager: 'test' });
  return harness.until(name, (release) => {
    expect(release.status?.lastHandledReconcileAt).toBe(requestedAt);
    expect(conditionOf(release, 'Ready')?.status).not.toBe('Unknown');
  });
}

/** The release once its missing objects were looked for again. */
function untilMissed(name: string): Promise<HelmRelease> {
  return harness.until(name, (release) => expect(conditionOf(release, 'Ready')?.reason).toBe('ObjectsMissing'));
}

async function drop(...names: string[]): Promise<void> {
  const { member, namespace } = harness;
  for (const name of names) await member.delete(configMapResource, { name, namespace });
}

test('a release whose objects were deleted is not Ready until they are back', async () => {
  await harness.apply('web', {});
  await harness.untilReady('web');
  const installed = await look('web');
  expect(conditionOf(installed, 'Ready')?.status).toBe('True');

  await drop('web');
  await look('web');
  const gone = await untilMissed('web');
  expect(conditionOf(gone, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ObjectsMissing',
    message: expect.stringContaining(`any more: ConfigMap/${harness.namespace}/web; to create them again, set its`),
  });
  expect(await harness.configMap('web')).toBeUndefined();
  expect(await revisionsOf(harness, 'web')).toEqual(['1 deployed']);

  const [cluster] = harness.world.members;
  if (cluster === undefined) throw new Error('the world has no member');
  const since = await auditPosition(cluster);
  const again = await look('web');
  expect(conditionOf(again, 'Ready')).toEqual(conditionOf(gone, 'Ready'));
  const own = (await auditEntries(cluster, since)).filter(({ requestURI }) => requestURI.includes(harness.namespace));
  expect(own.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);

  const forced = await look('web', { 'reconcile.fluxcd.io/forceAt': '' });
  expect(conditionOf(forced, 'Ready')?.status).toBe('True');
  expect((await harness.configMap('web'))?.data).toMatchObject({ color: 'blue' });
});

test('what stays behind anyway, and what is ignored, is not missed', async () => {
  const ignore = [{ paths: [''], target: { kind: 'ConfigMap', name: 'other' } }];
  await harness.apply('other', { values: { keepExtra: true }, driftDetection: { mode: 'disabled', ignore } });
  await harness.untilReady('other');
  await drop('other-extra');
  expect(conditionOf(await look('other'), 'Ready')?.status).toBe('True');
});

test('a release that only tells of drift is not Ready without its objects either', async () => {
  await harness.apply('told', { driftDetection: { mode: 'warn' } });
  await harness.untilReady('told');
  await drop('told');
  await look('told');
  const release = await untilMissed('told');
  expect(conditionOf(release, 'Drifted')?.status).toBe('True');
  expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'ObjectsMissing' });
  await harness.member.create(configMapResource, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'told', namespace: harness.namespace } },
  });
  expect(conditionOf(await look('told'), 'Ready')?.status).toBe('True');
});
