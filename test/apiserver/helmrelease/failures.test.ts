import { describe, expect, test } from '@jest/globals';
import { configMapResource, secretResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { FLEETING, HOOKED, PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-fail', { charts: { plain: PLAIN, hooked: HOOKED, fleeting: FLEETING } });

function hooked(): Partial<HelmRelease['spec']> {
  return {
    chart: { spec: { chart: 'hooked', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
  };
}

/** Values with a Deployment that never becomes ready. */
const STUCK = { image: 'example.com/web', outcome: 'pending' };

async function statuses(name: string): Promise<string[]> {
  // Helm's own JSON output.
  const entries = JSON.parse(await harness.helm('history', name, '--output=json')) as {
    revision: number;
    status: string;
  }[];
  return entries.map(({ revision, status }) => `${revision} ${status}`);
}

function expectReady(release: HelmRelease, reason: string, message: RegExp): void {
  expect(conditionOf(release, 'Ready')).toMatchObject({
    status: 'False',
    reason,
    message: expect.stringMatching(message),
  });
}

describe('what helm rejects', () => {
  test.concurrent('values against the schema are told in helm’s words, once, and leave what runs', async () => {
    await harness.apply('schema', { values: { color: 'red' } });
    await harness.untilReady('schema');
    await harness.apply('schema', { values: { color: 5 } });
    const release = await harness.until('schema', (current) => {
      expectReady(current, 'UpgradeFailed', /values don't meet the specifications of the schema.*\n?.*color/s);
      expect(conditionOf(current, 'Stalled')).toMatchObject({ status: 'True', reason: 'UpgradeFailed' });
    });
    expect(release.status).toMatchObject({ failures: 1 });
    expect(release.status).not.toHaveProperty('upgradeFailures');
    expect((await harness.configMap('schema'))?.data?.['color']).toBe('red');
    const ref = { name: 'schema', namespace: harness.namespace };
    await harness.passes.atRest(ref);
    const before = await auditPosition(harness.world.host);
    const touch = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } };
    await harness.passes.after(ref, () => harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: touch }));
    expect((await harness.read('schema')).status).toMatchObject({ failures: 1, lastHandledReconcileAt: 'now' });
    const writes = (await auditEntries(harness.world.host, before)).filter(
      ({ objectRef }) => objectRef?.name === 'schema',
    );
    expect(writes).toHaveLength(2);
    await harness.apply('schema', { values: { color: 'green' } });
    await harness.untilReady('schema');
    expect(await statuses('schema')).toEqual(['1 superseded', '2 deployed']);
  });

  test.concurrent('is forgotten when the values are what they were', async () => {
    await harness.apply('revert', { values: { color: 'red' } });
    await harness.untilReady('revert');
    await harness.apply('revert', { values: { color: 5 } });
    await harness.until('revert', (current) => expectReady(current, 'UpgradeFailed', /schema/));
    await harness.apply('revert', { values: { color: 'red' } });
    const release = await harness.untilReady('revert');
    expect(conditionOf(release, 'Released')).toMatchObject({ status: 'True', reason: 'UpgradeSucceeded' });
    expect(await statuses('revert')).toEqual(['1 deployed']);
  });
});

describe('an object that belongs to somebody else', () => {
  const theirs = (name: string): Unstructured => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: harness.namespace },
    data: { color: 'theirs' },
  });
  const refused = (name: string, action: string): RegExp =>
    new RegExp(`: Unable to continue with ${action}: ConfigMap "${name}" in namespace "[^"]+" exists and cannot be`);

  test.concurrent(
    'is not taken over by an install that must not, and comes with the install once it is gone',
    async () => {
      await harness.member.create(configMapResource, theirs('foreign'));
      await harness.apply('foreign', { install: { disableTakeOwnership: true } });
      await harness.until('foreign', (current) => expectReady(current, 'InstallFailed', refused('foreign', 'install')));
      expect(await statuses('foreign').catch(() => [])).toEqual([]);
      expect((await harness.configMap('foreign'))?.data).toEqual({ color: 'theirs' });
      await harness.member.delete(configMapResource, theirs('foreign').metadata);
      await harness.untilReady('foreign');
      expect((await harness.configMap('foreign'))?.data?.['color']).toBe('blue');
    },
  );

  test.concurrent('is not taken over by an upgrade that must not; its own objects are no matter', async () => {
    const extra = theirs('grown-extra');
    await harness.apply('grown', { values: { extra: false } });
    await harness.untilReady('grown');
    await harness.member.create(configMapResource, extra);
    await harness.apply('grown', { values: { extra: true, color: 'red' }, upgrade: { disableTakeOwnership: true } });
    await harness.until('grown', (current) => expectReady(current, 'UpgradeFailed', refused('grown-extra', 'update')));
    expect((await harness.configMap('grown'))?.data?.['color']).toBe('blue');
    await harness.apply('grown', { values: { extra: false, color: 'red' }, upgrade: { disableTakeOwnership: true } });
    await harness.untilReady('grown');
    expect(await statuses('grown')).toEqual(['1 superseded', '2 deployed']);
    expect((await harness.configMap('grown-extra'))?.data).toEqual({ color: 'theirs' });
  });
});

describe('a release that does not become ready', () => {
  test.concurrent('fails its install and stalls without retries', async () => {
    await harness.apply('stuck', { timeout: '2s', values: STUCK });
    const release = await harness.until('stuck', (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({
        reason: 'RetriesExceeded',
        message: expect.stringContaining('Failed to install after 1 attempt(s): '),
      });
    });
    expectReady(
      release,
      'InstallFailed',
      /^Helm install failed for release .*: timeout waiting for: \[Deployment\/.*stuck/,
    );
    expect(await statuses('stuck')).toEqual(['1 failed']);
    const ids = release.status?.inventory?.entries.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([`${harness.namespace}_stuck__ConfigMap`, `${harness.namespace}_stuck_apps_Deployment`]),
    );
  });

  test.concurrent('is uninstalled and installed again while retries are left', async () => {
    const install = { timeout: '2s', remediation: { retries: 1 } };
    await harness.apply('retried', { install, values: STUCK });
    const release = await harness.until('retried', (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({ reason: 'RetriesExceeded' });
    });
    expect(release.status).toMatchObject({ failures: 2, installFailures: 2 });
    expect(await statuses('retried')).toEqual(['1 failed']);
  });

  test.concurrent('recovers when the spec is mended', async () => {
    await harness.apply('mended', { timeout: '2s', values: STUCK });
    await harness.until('mended', (current) => expect(conditionOf(current, 'Stalled')?.status).toBe('True'));
    await harness.apply('mended', { timeout: '60s', values: { ...STUCK, outcome: 'run' } });
    const release = await harness.untilReady('mended');
    expect(release.status).not.toHaveProperty('installFailures');
    expect(await statuses('mended')).toEqual(['1 failed', '2 deployed']);
  });
});

describe('hooks', () => {
  test.concurrent('run, are kept or deleted by their policy, and tests are told', async () => {
    await harness.apply('hooks', { ...hooked(), test: { enable: true } });
    const release = await harness.untilReady('hooks');
    expect(conditionOf(release, 'TestSuccess')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/1 test hook completed successfully$/),
    });
    expect(release.status?.history?.[0]?.testHooks).toMatchObject({ 'hooks-check': { phase: 'Succeeded' } });
    const jobs = { ...configMapResource, group: 'batch', kind: 'Job', plural: 'jobs' };
    const { namespace } = harness;
    expect(await harness.member.get(jobs, { name: 'hooks-before', namespace })).toBeDefined();
    expect(await harness.member.get(jobs, { name: 'hooks-after', namespace })).toBeUndefined();
    expect(await harness.helm('get', 'hooks', 'hooks')).toContain('hooks-check');
    await harness.host.delete(helmReleaseResource, { name: 'hooks', namespace });
    await eventually(async () => expect(await harness.configMap('hooks-farewell')).toBeDefined());
  });

  test.concurrent(
    'and Jobs that the cluster deletes when they end have ended, a paused Deployment is passed over',
    async () => {
      const chart = {
        chart: 'fleeting',
        version: '1.0.0',
        sourceRef: { kind: 'HelmRepository' as const, name: 'charts' },
      };
      await harness.apply('fleeting', { chart: { spec: chart } });
      await harness.untilReady('fleeting');
    },
  );

  test.concurrent('that fail fail the release, named', async () => {
    await harness.apply('broken', { ...hooked(), values: { before: 'fail' } });
    const release = await harness.until('broken', (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({ reason: 'RetriesExceeded' });
    });
    expectReady(
      release,
      'InstallFailed',
      /failed pre-install: hook hooked\/templates\/before\.yaml failed: Job\/broken-before failed[^]*: the output of pod broken-before-\w+ \(Failed.*\) cannot be read: \S/,
    );
    expect(await harness.helm('history', 'broken')).not.toContain('the output of pod');
    expect(release.status).toMatchObject({ failures: 1, installFailures: 1 });
    expect(await statuses('broken')).toEqual(['1 failed']);
  });

  test.concurrent('of a test that fails make the release not Ready', async () => {
    await harness.apply('untrue', { ...hooked(), test: { enable: true }, values: { check: 'fail' } });
    const release = await harness.until('untrue', (current) => {
      expectReady(current, 'TestFailed', /Pod\/untrue-check failed.*pod untrue-check \(Failed.*\) cannot be read/);
      expect(conditionOf(current, 'Stalled')).toMatchObject({ reason: 'RetriesExceeded' });
    });
    expect(release.status).toMatchObject({ failures: 1, installFailures: 1 });
    expect(await statuses('untrue')).toEqual(['1 deployed']);
  });
});

describe('what is missing', () => {
  test.concurrent('a kubeconfig Secret is named, and its arrival is noticed', async () => {
    await harness.apply('lonely', { kubeConfig: { secretRef: { name: 'absent' } } });
    await harness.until('lonely', (current) => {
      expectReady(current, 'KubeConfigSecretNotFound', new RegExp(`${harness.namespace}/absent`));
    });
    const { namespace } = harness;
    const secret = await harness.host.get(secretResource, { name: 'member', namespace });
    const { data } = { ...secret } as { data?: object };
    const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'absent', namespace }, data };
    await harness.host.create(secretResource, copy);
    await harness.untilReady('lonely');
  });

  test.concurrent('a ConfigMap of values is named, and its arrival is noticed', async () => {
    const { namespace } = harness;
    await harness.apply('valued', { valuesFrom: [{ kind: 'ConfigMap', name: 'settings' }] });
    await harness.until('valued', (current) => expectReady(current, 'ValuesError', /ConfigMap .*\/settings/));
    const settings = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace },
      data: { 'values.yaml': 'color: gold' },
    };
    await harness.host.create(configMapResource, settings);
    await harness.untilReady('valued');
    expect((await harness.configMap('valued'))?.data?.['color']).toBe('gold');
  });

  test.concurrent('a chart is told in the words of its HelmChart', async () => {
    await harness.apply('chartless', {
      chart: { spec: { chart: 'none', version: '9', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
    });
    await harness.until('chartless', (current) => expectReady(current, 'SourceNotReady', /no chart none 9/));
  });

  test.concurrent('a cluster that does not answer is unreachable, and others go on', async () => {
    const { namespace } = harness;
    const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
    const data = { value: Buffer.from(kubeconfig).toString('base64') };
    await harness.host.create(secretResource, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'dead', namespace },
      data,
    } as never);
    await harness.apply('dead', { kubeConfig: { secretRef: { name: 'dead' } } });
    await harness.apply('alive', {});
    await harness.untilReady('alive');
    await harness.until('dead', (current) => {
      expectReady(current, 'ClusterUnreachable', /127\.0\.0\.1:1/);
      expect(conditionOf(current, 'Reconciling')?.status).toBe('True');
    });
  });

  test.concurrent('a dependency holds a release back until it is Ready', async () => {
    await harness.apply('second', { dependsOn: [{ name: 'first' }] });
    await harness.until('second', (current) => expectReady(current, 'DependencyNotReady', /\/first' not found/));
    await harness.apply('first', {});
    await harness.untilReady('second');
  });
});
