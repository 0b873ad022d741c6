import { expect, test } from '@jest/globals';
import { deploymentResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-superseded', { charts: { plain: PLAIN } });

/** A Deployment that never becomes ready, and is waited for longer than a test takes. */
const STUCK = { timeout: '1h', values: { image: 'example.com/web', outcome: 'pending' } };
const FIXED = { timeout: '1h', values: { image: 'example.com/web', outcome: 'run' } };

/** A release that is installed, and whose upgrade waits. */
async function untilUpgrading(name: string, upgraded: Parameters<typeof harness.apply>[1] = STUCK): Promise<void> {
  await harness.apply(name, FIXED);
  await harness.untilReady(name);
  await harness.apply(name, upgraded);
  await eventually(async () => expect(await revisionsOf(harness, name)).toEqual(['1 deployed', '2 pending-upgrade']));
}

test.concurrent(
  'a fix is rolled out at once while an upgrade waits for what never comes, and costs no retry',
  async () => {
    const upgrade = { remediation: { retries: 1 } };
    await untilUpgrading('fixed', { ...STUCK, upgrade });
    await harness.apply('fixed', { ...FIXED, upgrade });
    const release = await harness.untilReady('fixed');
    expect(release.status).not.toHaveProperty('upgradeFailures');
    expect(await revisionsOf(harness, 'fixed')).toEqual(['1 superseded', '2 failed', '3 deployed']);
  },
);

test.concurrent('attempts that nobody waits for are pruned', async () => {
  await untilUpgrading('pruned', { ...STUCK, maxHistory: 2 });
  for (const color of ['red', 'blue', 'green']) {
    const before = await revisionsOf(harness, 'pruned');
    await harness.apply('pruned', { ...STUCK, maxHistory: 2, values: { ...STUCK.values, color } });
    await eventually(async () => {
      const now = await revisionsOf(harness, 'pruned');
      expect([now.at(-1) === before.at(-1), now.at(-1)]).toEqual([false, expect.stringContaining('pending-upgrade')]);
    });
  }
  await harness.apply('pruned', { ...FIXED, maxHistory: 2 });
  await harness.untilReady('pruned');
  expect((await revisionsOf(harness, 'pruned')).length).toBeLessThanOrEqual(3);
});

test.concurrent('a release that moves while its upgrade waits leaves nothing behind', async () => {
  await untilUpgrading('moved');
  await harness.apply('moved', { ...FIXED, releaseName: 'moved-on' });
  const release = await harness.untilReady('moved');
  expect(release.status?.history?.map(({ name }) => name)).toEqual(['moved-on']);
  await expect(revisionsOf(harness, 'moved')).rejects.toThrow('release: not found');
});

test.concurrent('a suspension ends a wait, and leaves no revision that is pending', async () => {
  await untilUpgrading('suspended');
  await harness.apply('suspended', { ...STUCK, suspend: true });
  const release = await harness.until('suspended', (current) => {
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'HealthCheckCanceled' });
  });
  expect(conditionOf(release, 'Ready')?.message).toMatch(/: the object is suspended$/);
  expect(await revisionsOf(harness, 'suspended')).toEqual(['1 deployed', '2 failed']);
  await harness.apply('suspended', FIXED);
  await harness.untilReady('suspended');
});

test.concurrent('a deletion ends a wait, and uninstalls', async () => {
  await untilUpgrading('deleted');
  const ref = { name: 'deleted', namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
  expect(await harness.member.get(deploymentResource, ref)).toBeUndefined();
  await expect(revisionsOf(harness, 'deleted')).rejects.toThrow('release: not found');
});

/** A first installation that waits. */
async function untilInstalling(name: string, spec: Parameters<typeof harness.apply>[1] = STUCK): Promise<void> {
  await harness.apply(name, spec);
  await eventually(async () => expect(await revisionsOf(harness, name)).toEqual(['1 pending-install']));
  const ref = { name, namespace: harness.namespace };
  await eventually(async () => expect(await harness.member.get(deploymentResource, ref)).toBeDefined());
}

test.concurrent('a deletion ends the wait of a first installation, and uninstalls', async () => {
  await untilInstalling('unwanted');
  const ref = { name: 'unwanted', namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
  expect(await harness.member.get(deploymentResource, ref)).toBeUndefined();
  await expect(revisionsOf(harness, 'unwanted')).rejects.toThrow('release: not found');
});

test.concurrent('a first installation that moves is waited for to its end, and leaves nothing behind', async () => {
  await untilInstalling('first', { ...STUCK, timeout: '20s' });
  await harness.apply('first', { ...FIXED, releaseName: 'first-of-all' });
  const release = await harness.untilReady('first');
  expect(release.status?.history?.map(({ name }) => name)).toEqual(['first-of-all']);
  await expect(revisionsOf(harness, 'first')).rejects.toThrow('release: not found');
});

test.concurrent(
  'a release that helm installed, and that moves while it is taken over, leaves nothing behind',
  async () => {
    await harness.installByHelm('plain', '1.0.0', 'taken');
    await harness.apply('taken', STUCK);
    await eventually(async () =>
      expect(await revisionsOf(harness, 'taken')).toEqual(['1 deployed', '2 pending-upgrade']),
    );
    await harness.apply('taken', { ...FIXED, releaseName: 'taken-on' });
    const release = await harness.untilReady('taken');
    expect(release.status?.history?.map(({ name }) => name)).toEqual(['taken-on']);
    await expect(revisionsOf(harness, 'taken')).rejects.toThrow('release: not found');
  },
);

test.concurrent('what is waited for without a change is waited for', async () => {
  await harness.apply('patient', STUCK);
  await eventually(async () => expect(await revisionsOf(harness, 'patient')).toEqual(['1 pending-install']));
  const ref = { name: 'patient', namespace: harness.namespace };
  await eventually(async () => expect(await harness.member.get(deploymentResource, ref)).toBeDefined());
  const touch = { metadata: { annotations: { 'example.com/note': 'x' } } };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: touch });
  const annotations = { 'sandbox.fairlead.dev/outcome': 'run' };
  const body = { spec: { template: { metadata: { annotations } } } };
  await harness.member.patch(deploymentResource, ref, { type: 'merge', body });
  await harness.untilReady('patient');
  expect(await revisionsOf(harness, 'patient')).toEqual(['1 deployed']);
});
