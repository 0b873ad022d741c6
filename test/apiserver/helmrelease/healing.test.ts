import { afterEach, expect, test } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { forgeStatus, revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-heal', { charts: { plain: PLAIN }, concurrency: 0 });
afterEach(() => harness.stop());

async function forgetStatus(name: string): Promise<void> {
  const { status = {} } = await harness.read(name);
  await forgeStatus(harness, name, Object.fromEntries(Object.keys(status).map((key) => [key, null])));
}

test('a release whose status was lost is adopted', async () => {
  const { stop } = await harness.start();
  await harness.apply('third', {});
  await harness.untilReady('third');
  await stop();
  await forgetStatus('third');
  await harness.start();
  const release = await harness.untilReady('third');
  expect((await revisionsOf(harness, 'third')).filter((entry) => entry.endsWith(' deployed'))).toHaveLength(1);
  expect(release.status?.history?.[0]?.version).toBeLessThanOrEqual(2);
});

test('a release of another HelmRelease is left unchanged', async () => {
  await harness.start();
  await harness.apply('owner', { releaseName: 'shared', values: { color: 'red' } });
  await harness.untilReady('owner');
  await harness.apply('thief', { releaseName: 'shared', values: { color: 'black' } });
  await harness.until('thief', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({
      reason: 'ReleaseHeld',
      message: expect.stringContaining('/owner'),
    });
  });
  expect((await harness.configMap('shared'))?.data?.['color']).toBe('red');
  await harness.host.delete(helmReleaseResource, { name: 'thief', namespace: harness.namespace });
  await eventually(async () => {
    expect(
      await harness.host.get(helmReleaseResource, { name: 'thief', namespace: harness.namespace }),
    ).toBeUndefined();
  });
  expect(await revisionsOf(harness, 'shared')).toEqual(['1 deployed']);
});

test('a release that helm made is taken over', async () => {
  await harness.start();
  await harness.installByHelm('plain', '1.0.0', 'taken');
  await harness.apply('taken', { values: { color: 'gold' } });
  await harness.untilReady('taken');
  expect(await revisionsOf(harness, 'taken')).toEqual(['1 superseded', '2 deployed']);
  expect((await harness.configMap('taken'))?.data?.['color']).toBe('gold');
});

test('a release that moves is uninstalled where it was', async () => {
  await harness.start();
  await harness.apply('mover', { releaseName: 'here' });
  await harness.untilReady('mover');
  await harness.apply('mover', { releaseName: 'there' });
  await eventually(async () => expect(await harness.configMap('there')).toBeDefined());
  await harness.untilReady('mover');
  expect(await harness.configMap('here')).toBeUndefined();
  expect(await harness.helm('list', '--filter=^here$', '--short')).toBe('');
});
