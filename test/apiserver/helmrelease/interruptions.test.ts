import { afterEach, describe, expect, test } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { eventually } from '../../support/world.js';
import { HOOKED, PLAIN } from './charts.js';
import { rewriteRevision, forgeStatus, revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-cut', { charts: { plain: PLAIN, hooked: HOOKED }, concurrency: 0 });
afterEach(() => harness.stop());

/** Values with a Deployment that never becomes ready. */
const STUCK = { image: 'example.com/web', outcome: 'pending' };

function chart(name: string): object {
  return { chart: { spec: { chart: name, version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } };
}

async function untilRunning(name: string, action: string): Promise<void> {
  await harness.until(name, (release) => {
    expect(conditionOf(release, 'Reconciling')?.message).toContain(`Running '${action}'`);
  });
}

async function remove(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
}

describe('a spec that changes during an action', () => {
  test('is tried, whatever became of the one before', async () => {
    await harness.start();
    await harness.apply('hasty', { timeout: '8s', values: STUCK });
    await untilRunning('hasty', 'install');
    await harness.apply('hasty', { timeout: '60s', values: { ...STUCK, outcome: 'run' } });
    const release = await harness.untilReady('hasty');
    expect(release.status).toMatchObject({ lastAttemptedGeneration: release.metadata.generation });
    expect(await revisionsOf(harness, 'hasty')).toEqual(['1 failed', '2 deployed']);
  });

  test('a deletion waits for the end of the action, and then takes down what it made', async () => {
    await harness.start();
    await harness.apply('brief', { timeout: '8s', values: STUCK });
    await untilRunning('brief', 'install');
    await remove('brief');
    expect(await harness.configMap('brief')).toBeUndefined();
    expect(await harness.helm('list', '--filter=^brief$', '--short')).toBe('');
  });
});

describe('a controller that ends', () => {
  test('during a first upgrade still knows what to go back to', async () => {
    const { stop } = await harness.start();
    await harness.apply('knows', { values: { color: 'red' } });
    await harness.untilReady('knows');
    await harness.apply('knows', { values: { color: 'green' } });
    const green = await harness.untilReady('knows');
    await stop();
    await forgeStatus(harness, 'knows', { history: green.status?.history?.slice(1) });
    const failing = { upgrade: { timeout: '2s', remediation: { remediateLastFailure: true } } };
    await harness.apply('knows', { ...failing, values: { color: 'black', ...STUCK } });
    await harness.start();
    const release = await harness.until('knows', (current) => {
      expect(conditionOf(current, 'Stalled')?.status).toBe('True');
    });
    expect(conditionOf(release, 'Remediated')).toMatchObject({ status: 'True', reason: 'RollbackSucceeded' });
    expect(await revisionsOf(harness, 'knows')).toEqual(['1 superseded', '2 superseded', '3 failed', '4 deployed']);
  });

  test('during the tests of a release does not release it again', async () => {
    const { stop } = await harness.start();
    await harness.apply('proven', {
      ...chart('hooked'),
      test: { enable: true, timeout: '10s' },
      values: { check: 'pending' },
    });
    await harness.until('proven', (release) => {
      expect(conditionOf(release, 'TestSuccess')?.reason).toBe('AwaitingTests');
    });
    await stop();
    await harness.start();
    await harness.until('proven', (release) => expect(conditionOf(release, 'TestSuccess')?.status).toBe('False'));
    expect(await revisionsOf(harness, 'proven')).toEqual(['1 deployed']);
  });

  test('while it was suspended leaves a pending revision until it is resumed', async () => {
    const { stop } = await harness.start();
    await harness.apply('paused', {});
    await harness.untilReady('paused');
    await stop();
    await rewriteRevision(harness, 'paused', 1, { status: 'pending-upgrade' });
    await harness.apply('paused', { suspend: true });
    await harness.apply('witness', {});
    await harness.start();
    await harness.untilReady('witness');
    expect(await revisionsOf(harness, 'paused')).toEqual(['1 pending-upgrade']);
    await harness.apply('paused', { suspend: false });
    await eventually(async () => {
      expect(await revisionsOf(harness, 'paused')).toEqual(['1 failed', '2 deployed']);
    });
  });
});

describe('two owners', () => {
  test('that ask for one release at the same time do not take it from each other', async () => {
    await harness.start();
    const names = ['left', 'right', 'third'];
    await Promise.all(names.map((name) => harness.apply(name, { releaseName: 'both', values: { color: name } })));
    await eventually(async () => {
      const releases = await Promise.all(names.map((name) => harness.read(name)));
      const reasons = releases.map((release) => conditionOf(release, 'Ready')?.reason).sort();
      expect(reasons).toEqual(['InstallSucceeded', 'ReleaseHeld', 'ReleaseHeld']);
    });
    expect(await revisionsOf(harness, 'both')).toEqual(['1 deployed']);
  });

  test('the second one continues by itself when the first is deleted', async () => {
    await harness.start();
    await harness.apply('owner', { releaseName: 'shared' });
    await harness.untilReady('owner');
    await harness.apply('heir', { releaseName: 'shared', interval: '2s' });
    await harness.until('heir', (release) => expect(conditionOf(release, 'Ready')?.reason).toBe('ReleaseHeld'));
    await remove('owner');
    await harness.untilReady('heir');
  });

  test('a release that moves does not uninstall what is no longer its own', async () => {
    const { stop } = await harness.start();
    await harness.apply('mover', { releaseName: 'here' });
    await harness.untilReady('mover');
    await stop();
    await rewriteRevision(harness, 'here', 1, { labels: { 'helm.toolkit.fluxcd.io/name': 'another' } });
    await harness.apply('mover', { releaseName: 'there' });
    await harness.start();
    await eventually(async () => expect(await revisionsOf(harness, 'there')).toEqual(['1 deployed']));
    expect(await revisionsOf(harness, 'here')).toEqual(['1 deployed']);
    expect(await harness.configMap('here')).toBeDefined();
  });
});

describe('helm by hand', () => {
  test('an uninstall is noticed at the interval', async () => {
    await harness.start();
    await harness.apply('watched', { interval: '2s' });
    await harness.untilReady('watched');
    await harness.helm('uninstall', 'watched');
    await eventually(async () => expect(await revisionsOf(harness, 'watched')).toEqual(['1 deployed']));
  });

  test('an uninstall that left an older revision deployed does not lead to two', async () => {
    const { stop } = await harness.start();
    await harness.apply('older', { values: { color: 'red' } });
    await harness.untilReady('older');
    await harness.apply('older', { values: { color: 'green' } });
    await harness.untilReady('older');
    await stop();
    await rewriteRevision(harness, 'older', 1, { status: 'deployed' });
    await rewriteRevision(harness, 'older', 2, { status: 'uninstalled' });
    await harness.start();
    await eventually(async () => {
      expect(await revisionsOf(harness, 'older')).toEqual(['1 superseded', '2 uninstalled', '3 deployed']);
    });
  });
});
