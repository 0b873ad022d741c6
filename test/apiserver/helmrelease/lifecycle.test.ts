import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventResource } from '#api/core.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

interface HistoryEntry {
  readonly revision: number;
  readonly status: string;
  readonly chart: string;
  readonly description: string;
}

const harness = useHarness('hr-life', { charts: { plain: PLAIN } });
beforeAll(() => harness.publish('plain', '1.1.0', PLAIN));

// Helm's own JSON output; its shape is part of its command line interface.
async function history(name: string): Promise<HistoryEntry[]> {
  return JSON.parse(await harness.helm('history', name, '--output=json')) as HistoryEntry[];
}

function statuses(entries: readonly HistoryEntry[]): string[] {
  return entries.map(({ revision, status }) => `${revision} ${status}`);
}

describe('an install', () => {
  beforeAll(async () => {
    await harness.apply('web', { values: { color: 'red' } });
    await harness.untilReady('web');
  });

  test('is a true Helm release in the eyes of helm', async () => {
    expect(await history('web')).toMatchObject([
      { revision: 1, status: 'deployed', chart: 'plain-1.0.0', description: 'Install complete' },
    ]);
    expect(JSON.parse(await harness.helm('get', 'values', 'web', '--output=json'))).toEqual({ color: 'red' });
    expect(await harness.helm('get', 'manifest', 'web')).toContain('color: red');
    expect(JSON.parse(await harness.helm('list', '--output=json'))).toMatchObject([
      { name: 'web', revision: '1', status: 'deployed', chart: 'plain-1.0.0', app_version: '7' },
    ]);
  });

  test('its objects carry the marks of helm and of Flux, and one manager', async () => {
    const live = await harness.configMap('web');
    expect(live?.data).toEqual({ color: 'red', upgrade: 'false' });
    expect(live?.metadata).toMatchObject({
      labels: {
        'app.kubernetes.io/managed-by': 'Helm',
        'helm.toolkit.fluxcd.io/name': 'web',
        'helm.toolkit.fluxcd.io/namespace': harness.namespace,
      },
      annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': harness.namespace },
    });
    expect(live?.metadata.managedFields).toMatchObject([{ manager: 'helm-controller', operation: 'Apply' }]);
  });

  test('its status is Flux’s', async () => {
    const { status } = await harness.read('web');
    const message = `Helm install succeeded for release ${harness.namespace}/web.v1 with chart plain@1.0.0`;
    expect(status).toMatchObject({
      conditions: [
        { type: 'Ready', status: 'True', reason: 'InstallSucceeded', message },
        { type: 'Released', status: 'True', reason: 'InstallSucceeded', message },
      ],
      helmChart: `${harness.namespace}/${harness.namespace}-web`,
      storageNamespace: harness.namespace,
      lastAttemptedReleaseAction: 'install',
      lastAttemptedReleaseActionDuration: expect.stringMatching(/^[1-9][0-9.]*m?s$/),
      lastAttemptedRevision: '1.0.0',
      history: [{ name: 'web', version: 1, status: 'deployed', chartName: 'plain', chartVersion: '1.0.0' }],
      inventory: {
        entries: [
          { id: `${harness.namespace}_web__ConfigMap`, v: 'v1' },
          { id: `${harness.namespace}_web-extra__ConfigMap`, v: 'v1' },
        ],
      },
    });
    expect(status?.history?.[0]).not.toHaveProperty('apiVersion');
  });

  test('with nothing to change there is no write, on neither cluster', async () => {
    const ref = { name: 'web', namespace: harness.namespace };
    await harness.passes.atRest(ref);
    await harness.eventsWritten();
    const { items } = await harness.host.list<Unstructured>(eventResource, { namespace: harness.namespace });
    expect(items.map((event) => event['reason'])).toContain('InstallSucceeded');
    const before = [await auditPosition(harness.world.host), await auditPosition(harness.world.members[0]!)];
    const body = { metadata: { annotations: { poke: 'yes' } } };
    await harness.passes.after(ref, () => harness.host.patch(helmReleaseResource, ref, { type: 'merge', body }));
    await harness.eventsWritten();
    const ours = async (index: number): Promise<string[]> => {
      const cluster = index === 0 ? harness.world.host : harness.world.members[index - 1]!;
      const entries = await auditEntries(cluster, before[index]);
      return entries
        .filter(({ objectRef }) => objectRef?.namespace === harness.namespace)
        .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''} ${objectRef?.name ?? ''}`);
    };
    expect(await ours(0)).toEqual(['patch helmreleases web']);
    expect(await ours(1)).toEqual([]);
  });
});

describe('an upgrade', () => {
  test.concurrent('by values makes the next revision and supersedes the old one', async () => {
    await harness.apply('up', { values: { color: 'red' } });
    await harness.untilReady('up');
    await harness.apply('up', { values: { color: 'green' } });
    const release = await harness.untilReady('up');
    expect(statuses(await history('up'))).toEqual(['1 superseded', '2 deployed']);
    expect((await harness.configMap('up'))?.data).toEqual({ color: 'green', upgrade: 'true' });
    expect(conditionOf(release, 'Released')).toMatchObject({ reason: 'UpgradeSucceeded' });
    expect(release.status?.history?.map(({ version, status }) => `${version} ${status}`)).toEqual([
      '2 deployed',
      '1 superseded',
    ]);
  });

  test.concurrent('by chart version deletes what the new one does not have', async () => {
    const chart = (version: string): object => ({
      chart: { spec: { chart: 'plain', version, sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
    });
    await harness.apply('moved', chart('1.0.0'));
    await harness.untilReady('moved');
    expect(await harness.configMap('moved-extra')).toBeDefined();
    await harness.apply('moved', { ...chart('1.1.0'), values: { extra: false } });
    const release = await harness.untilReady('moved');
    expect(release.status?.history?.[0]).toMatchObject({ chartVersion: '1.1.0', version: 2 });
    expect(await harness.configMap('moved-extra')).toBeUndefined();
  });

  test.concurrent('leaves objects that are to be kept', async () => {
    await harness.apply('kept', { values: { keepExtra: true } });
    await harness.untilReady('kept');
    await harness.apply('kept', { values: { extra: false } });
    await harness.untilReady('kept');
    expect(await harness.configMap('kept-extra')).toBeDefined();
  });

  test.concurrent('keeps as many revisions as it may', async () => {
    for (const color of ['a', 'b', 'c']) {
      await harness.apply('short', { maxHistory: 2, values: { color } });
      await harness.untilReady('short');
    }
    expect(statuses(await history('short'))).toEqual(['2 superseded', '3 deployed']);
  });
});

describe('a history of one', () => {
  test.concurrent('keeps what a rollback needs, and answers one request with one revision', async () => {
    await harness.apply('lone', { maxHistory: 1, values: { color: 'a' } });
    await harness.untilReady('lone');
    const at = '2026-01-01T00:00:00Z';
    const annotations = { 'reconcile.fluxcd.io/requestedAt': at, 'reconcile.fluxcd.io/forceAt': at };
    const ref = { name: 'lone', namespace: harness.namespace };
    await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata: { annotations } } });
    const forced = await harness.until('lone', (release) => {
      expect(release.status).toMatchObject({ lastHandledForceAt: at, history: [{ version: 2 }, { version: 1 }] });
      expect(conditionOf(release, 'Ready')?.reason).toBe('UpgradeSucceeded');
    });
    expect(forced.status?.lastAttemptedReleaseActionDuration).toBeDefined();
    expect(statuses(await history('lone'))).toEqual(['1 superseded', '2 deployed']);
    await harness.apply('lone', { maxHistory: 1, values: { color: 'b' } });
    await harness.untilReady('lone');
    expect(statuses(await history('lone'))).toEqual(['2 superseded', '3 deployed']);
  });
});

describe('after helm was used by hand', () => {
  test.concurrent('a rollback is answered by an upgrade to what is wanted', async () => {
    await harness.apply('hand', { values: { color: 'red' } });
    await harness.untilReady('hand');
    await harness.apply('hand', { values: { color: 'green' } });
    await harness.untilReady('hand');
    // Helm 4 applies on the server under its own name; the fields are ours until it takes them.
    await harness.helm('rollback', 'hand', '1', '--force-conflicts');
    expect((await harness.configMap('hand'))?.data?.['color']).toBe('red');
    await harness.apply('hand', { values: { color: 'green' }, interval: '11m' });
    await eventually(async () => expect((await harness.configMap('hand'))?.data?.['color']).toBe('green'));
    await harness.untilReady('hand');
    expect(statuses(await history('hand')).slice(-2)).toEqual(['3 superseded', '4 deployed']);
  });

  test.concurrent('an uninstall is answered by an install', async () => {
    await harness.apply('again', {});
    await harness.untilReady('again');
    await harness.helm('uninstall', 'again');
    await harness.apply('again', { interval: '11m' });
    await eventually(async () => expect(statuses(await history('again'))).toEqual(['1 deployed']));
    await harness.untilReady('again');
  });
});

describe('deleting a HelmRelease', () => {
  test.concurrent('uninstalls it', async () => {
    await harness.apply('gone', {});
    await harness.untilReady('gone');
    await harness.host.delete(helmReleaseResource, { name: 'gone', namespace: harness.namespace });
    await eventually(async () => {
      expect(
        await harness.host.get(helmReleaseResource, { name: 'gone', namespace: harness.namespace }),
      ).toBeUndefined();
    });
    expect(await harness.configMap('gone')).toBeUndefined();
    expect(await harness.helm('list', '--filter=^gone$', '--short')).toBe('');
  });

  test.concurrent('leaves the release and the HelmChart of a suspended one', async () => {
    await harness.apply('asleep', {});
    await harness.untilReady('asleep');
    await harness.apply('asleep', { suspend: true });
    await harness.host.delete(helmReleaseResource, { name: 'asleep', namespace: harness.namespace });
    await eventually(async () => {
      expect(
        await harness.host.get(helmReleaseResource, { name: 'asleep', namespace: harness.namespace }),
      ).toBeUndefined();
    });
    expect(await harness.configMap('asleep')).toBeDefined();
    expect(statuses(await history('asleep'))).toEqual(['1 deployed']);
    const chart = { name: `${harness.namespace}-asleep`, namespace: harness.namespace };
    expect(await harness.host.get(helmChartResource, chart)).toBeDefined();
  });
});
