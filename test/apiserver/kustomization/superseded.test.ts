import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deploymentResource } from '#api/core.js';
import { eventually } from '../../support/world.js';
import { conditionOf, configMap, createHarness, type Files, type Harness } from './harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('superseded');
});

afterAll(() => harness.close());

/** A Deployment that never becomes ready. */
function stuck(name: string): string {
  const labels = { app: name };
  const metadata = { labels, annotations: { 'sandbox.fairlead.dev/outcome': 'pending' } };
  const template = { metadata, spec: { containers: [{ name: 'web', image: 'example.com/web' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  return JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec });
}

/** By default, it is waited for longer than a test takes. */
async function untilWaiting(name: string, files: Files = {}, timeout = '1h'): Promise<void> {
  await harness.publish(name, { 'stuck.yaml': stuck(name), ...files });
  await harness.apply(name, { wait: true, timeout });
  await eventually(async () => {
    expect(await harness.host.get(deploymentResource, { name, namespace: harness.namespace })).toBeDefined();
    expect((await harness.read(name)).status?.inventory?.entries.length).toBeGreaterThan(0);
  });
}

test('a new revision is applied once the last one was waited for during half of the timeout', async () => {
  await untilWaiting('fixed', { 'map.yaml': configMap('fixed', { color: 'red' }) }, '20s');
  const revision = await harness.publish('fixed', { 'map.yaml': configMap('fixed', { color: 'blue' }) });
  await harness.until('fixed', (current) => {
    expect(conditionOf(current, 'Ready')).not.toMatchObject({ reason: 'HealthCheckFailed' });
    expect(current.status?.lastAppliedRevision).toBe(revision);
  });
  expect((await harness.configMap('fixed'))?.data).toEqual({ color: 'blue' });
  const ref = { name: 'fixed', namespace: harness.namespace };
  await eventually(async () => expect(await harness.host.get(deploymentResource, ref)).toBeUndefined());
});

test('another spec counts at once', async () => {
  await untilWaiting('edited');
  await harness.apply('edited', { wait: false });
  await harness.untilReady('edited');
});

test('a suspension ends a wait, and says so', async () => {
  await untilWaiting('suspended');
  await harness.apply('suspended', { wait: true, timeout: '1h', suspend: true });
  await harness.until('suspended', (current) => {
    expect(conditionOf(current, 'Ready')).toMatchObject({
      ...{ status: 'Unknown', reason: 'HealthCheckCanceled' },
      message: expect.stringMatching(/: the object is suspended$/),
    });
  });
});

test('a deletion ends a wait, and prunes', async () => {
  await untilWaiting('deleted', { 'map.yaml': configMap('deleted') });
  await harness.remove('deleted');
  expect(await harness.configMap('deleted')).toBeUndefined();
});
