import { expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { PLAIN } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-back', { charts: { plain: PLAIN } });

const deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** Ids of the ConfigMaps and Deployments of a release that are there, as an inventory names them. */
async function liveIds(release: string): Promise<string[]> {
  const labelSelector = `helm.toolkit.fluxcd.io/name=${release}`;
  const { namespace } = harness;
  const ids = await Promise.all(
    [configMapResource, deployments].map(async (type) => {
      const { items } = await harness.member.list<KubeObject>(type, { namespace, labelSelector });
      return items.map(({ metadata: { name } }) => `${namespace}_${name}_${type.group}_${type.kind}`);
    }),
  );
  return ids.flat().sort();
}

function inventoryIds({ status }: HelmRelease): string[] {
  return (status?.inventory?.entries ?? []).map(({ id }) => id).sort();
}

function facts(release: HelmRelease): Record<string, string> {
  const conditions = release.status?.conditions ?? [];
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

test('an upgrade that fails its health check is rolled back until no retry is left, and the status reports the deployed revision', async () => {
  const upgrade = { timeout: '2s', remediation: { retries: 1 } };
  const good = { color: 'red', extra: true, image: 'example.com/web:1', outcome: 'run' };
  await harness.apply('sick', { values: good, upgrade });
  const installed = await harness.untilReady('sick');
  const ids = await liveIds('sick');
  expect(ids).toHaveLength(3);
  expect(inventoryIds(installed)).toEqual(ids);

  const bad = { color: 'green', extra: false, image: 'example.com/web:2', outcome: 'pending' };
  await harness.apply('sick', { values: bad, upgrade });
  const release = await harness.until('sick', (current) => {
    expect(conditionOf(current, 'Stalled')).toMatchObject({ status: 'True' });
  });
  expect(facts(release)).toEqual({
    Ready: 'False RollbackSucceeded',
    Released: 'False UpgradeFailed',
    Remediated: 'True RollbackSucceeded',
    Stalled: 'True RetriesExceeded',
  });
  expect(conditionOf(release, 'Stalled')?.message).toContain('Failed to upgrade after 2 attempt(s): ');
  expect(conditionOf(release, 'Released')?.message).toMatch(/timeout waiting for: \[Deployment\/.*sick/);
  expect(release.status).toMatchObject({ observedGeneration: 2, failures: 2, upgradeFailures: 2 });

  expect(await revisionsOf(harness, 'sick')).toEqual([
    '1 superseded',
    '2 failed',
    '3 superseded',
    '4 failed',
    '5 deployed',
  ]);
  const { namespace } = harness;
  const deployment = await harness.member.get(deployments, { name: 'sick', namespace });
  expect(deployment).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'example.com/web:1' }] } } } });
  expect((await harness.configMap('sick'))?.data?.['color']).toBe('red');
  expect(await harness.configMap('sick-extra')).toBeDefined();
  expect(await liveIds('sick')).toEqual(ids);
  expect(inventoryIds(release)).toEqual(ids);
});
