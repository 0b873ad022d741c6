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

async function untilWaiting(name: string, revisions: readonly string[]): Promise<void> {
  await eventually(async () => expect(await revisionsOf(harness, name)).toEqual(revisions));
  const ref = { name, namespace: harness.namespace };
  await eventually(async () => expect(await harness.member.get(deploymentResource, ref)).toBeDefined());
}

test.concurrent('a fix is installed at once while an install waits for what never comes', async () => {
  await harness.apply('fixed', STUCK);
  await untilWaiting('fixed', ['1 pending-install']);
  await harness.apply('fixed', FIXED);
  const release = await harness.untilReady('fixed');
  expect(release.status).not.toHaveProperty('installFailures');
  expect(await revisionsOf(harness, 'fixed')).toEqual(['1 failed', '2 deployed']);
});

test.concurrent('a fix is rolled out at once while an upgrade waits, and costs no retry', async () => {
  await harness.apply('again', { ...FIXED, upgrade: { remediation: { retries: 1 } } });
  await harness.untilReady('again');
  await harness.apply('again', { ...STUCK, upgrade: { remediation: { retries: 1 } } });
  await untilWaiting('again', ['1 deployed', '2 pending-upgrade']);
  await harness.apply('again', { ...FIXED, upgrade: { remediation: { retries: 1 } } });
  const release = await harness.untilReady('again');
  expect(release.status).not.toHaveProperty('upgradeFailures');
  expect(await revisionsOf(harness, 'again')).toEqual(['1 superseded', '2 failed', '3 deployed']);
});

test.concurrent('another version of the chart ends a wait', async () => {
  await harness.publish('plain', '1.1.0', PLAIN);
  const spec = (version: string) => ({
    chart: { spec: { chart: 'plain', version, sourceRef: { kind: 'HelmRepository' as const, name: 'charts' } } },
  });
  await harness.apply('newer', { ...STUCK, ...spec('1.0.0') });
  await untilWaiting('newer', ['1 pending-install']);
  await harness.apply('newer', { ...FIXED, ...spec('1.1.0') });
  const { status } = await harness.untilReady('newer');
  expect(status?.history?.[0]?.chartVersion).toBe('1.1.0');
});

test.concurrent('a suspension ends a wait, and leaves no revision that is pending', async () => {
  await harness.apply('suspended', STUCK);
  await untilWaiting('suspended', ['1 pending-install']);
  await harness.apply('suspended', { ...STUCK, suspend: true });
  const release = await harness.until('suspended', (current) => {
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'HealthCheckCanceled' });
  });
  expect(conditionOf(release, 'Ready')?.message).toMatch(/: the object is suspended$/);
  expect(await revisionsOf(harness, 'suspended')).toEqual(['1 failed']);
  await harness.apply('suspended', FIXED);
  await harness.untilReady('suspended');
});

test.concurrent('a deletion ends a wait, and uninstalls', async () => {
  await harness.apply('deleted', STUCK);
  await untilWaiting('deleted', ['1 pending-install']);
  const ref = { name: 'deleted', namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
  expect(await harness.configMap('deleted')).toBeUndefined();
});

test.concurrent('what is waited for without a change is waited for', async () => {
  await harness.apply('patient', STUCK);
  await untilWaiting('patient', ['1 pending-install']);
  const ref = { name: 'patient', namespace: harness.namespace };
  const touch = { metadata: { annotations: { 'example.com/note': 'x' } } };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: touch });
  const annotations = { 'sandbox.fairlead.dev/outcome': 'run' };
  const body = { spec: { template: { metadata: { annotations } } } };
  await harness.member.patch(deploymentResource, ref, { type: 'merge', body });
  await harness.untilReady('patient');
  expect(await revisionsOf(harness, 'patient')).toEqual(['1 deployed']);
});
