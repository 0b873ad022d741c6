import { afterEach, expect, test } from '@jest/globals';
import { namespaceResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { eventually } from '../../support/world.js';
import { giveKubeconfig, swapKubeconfig } from '../../support/kubeconfig-secret.js';
import { PLAIN } from './charts.js';
import { forgeStatus, revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-where', { charts: { plain: PLAIN }, concurrency: 0 });
afterEach(() => harness.stop());

async function helmOnHost(...args: string[]): Promise<string> {
  return harness.helm(...args, '--kubeconfig', harness.world.host.kubeconfig);
}

/** A release on the host that helm made, of the very name that a HelmRelease has on its member. */
async function namesakeOnHost(name: string): Promise<void> {
  await helmOnHost('install', name, harness.chartFile('plain', '1.0.0'));
}

async function remove(name: string): Promise<void> {
  await harness.host.delete(helmReleaseResource, { name, namespace: harness.namespace });
}

async function untilGone(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
}

async function deployedByHelm(name: string): Promise<void> {
  expect(await helmOnHost('list', `--filter=^${name}$`, '--short')).toBe(`${name}\n`);
  expect(await helmOnHost('status', name)).toContain('STATUS: deployed');
}

test('a release with an unresolvable cluster is not read from the host, and waits for its user', async () => {
  await harness.start();
  await harness.apply('fleet', {});
  await harness.untilReady('fleet');
  await namesakeOnHost('fleet');
  await harness.apply('fleet', { kubeConfig: { configMapRef: { name: 'eu' } } });
  await harness.until('fleet', (release) => expect(conditionOf(release, 'Stalled')?.status).toBe('True'));
  await remove('fleet');
  await harness.until('fleet', (release) => {
    expect(conditionOf(release, 'Ready')?.message).toMatch(/^cannot uninstall .*configMapRef.*set spec\.suspend$/);
  });
  await deployedByHelm('fleet');
  expect(await revisionsOf(harness, 'fleet')).toEqual(['1 deployed']);
  await harness.apply('fleet', { suspend: true, kubeConfig: { configMapRef: { name: 'eu' } } });
  await untilGone('fleet');
  await deployedByHelm('fleet');
});

test('a release that was never installed is deleted although its cluster cannot be resolved', async () => {
  await harness.start();
  await harness.apply('fresh', { kubeConfig: { configMapRef: { name: 'eu' } } });
  await harness.until('fresh', (release) => expect(conditionOf(release, 'Stalled')?.status).toBe('True'));
  await namesakeOnHost('fresh');
  await remove('fresh');
  await untilGone('fresh');
  await deployedByHelm('fresh');
});

test('a kubeconfig that leads to another cluster by now does not take down a namesake there', async () => {
  const { stop } = await harness.start();
  await harness.apply('astray', {});
  const { status } = await harness.untilReady('astray');
  await stop();
  await namesakeOnHost('astray');
  // Both may have been installed within one second.
  const history = (status?.history ?? []).map((each) => ({ ...each, lastDeployed: '2026-01-01T00:00:00Z' }));
  await forgeStatus(harness, 'astray', { history });
  await harness.apply('astray', { kubeConfig: undefined });
  await remove('astray');
  await harness.start();
  await untilGone('astray');
  await deployedByHelm('astray');
});

test('a release of Flux, which leaves no mark in storage, is taken down by what the status remembers of it', async () => {
  const { stop } = await harness.start();
  await harness.apply('fluxes', {});
  await harness.untilReady('fluxes');
  await stop();
  await harness.helm('uninstall', 'fluxes');
  await harness.installByHelm('plain', '1.0.0', 'fluxes');
  // Helm's own JSON output.
  const [entry] = JSON.parse(await harness.helm('history', 'fluxes', '--output=json')) as { updated: string }[];
  const deployed = new Date(entry?.updated ?? '').toISOString();
  const { status } = await harness.read('fluxes');
  const history = (status?.history ?? []).map((each) => ({ ...each, firstDeployed: deployed, lastDeployed: deployed }));
  await forgeStatus(harness, 'fluxes', { history });
  await remove('fluxes');
  await harness.start();
  await untilGone('fluxes');
  expect(await harness.helm('list', '--filter=^fluxes$', '--short')).toBe('');
});

async function annotate(name: string, annotations: Record<string, string>): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { metadata: { annotations } } });
}

/** Without it, the next attempt comes after a pause that grows. */
async function requestReconciliation(name: string): Promise<void> {
  await annotate(name, { 'reconcile.fluxcd.io/requestedAt': String(performance.now()) });
}

test('a kubeconfig that leads to another cluster stops a release that says which it is for', async () => {
  const [home, other] = harness.world.members;
  const [right = '', wrong = ''] = [home?.kubeconfig, other?.kubeconfig];
  const secret = { name: 'swapped', namespace: harness.namespace };
  const kubeConfig = { secretRef: { name: 'swapped' } };
  const onOther = (...args: string[]): Promise<string> => harness.helm(...args, '--kubeconfig', wrong);
  await onOther('install', 'home', harness.chartFile('plain', '1.0.0'), '--create-namespace');
  const before = await onOther('get', 'all', 'home');
  await giveKubeconfig(harness.host, secret, right);
  await harness.start();
  await harness.apply('home', { kubeConfig });
  await harness.untilReady('home');
  const uid = (await harness.member.get(namespaceResource, { name: 'kube-system' }))?.metadata.uid ?? '';
  await annotate('home', { [CLUSTER_UID_ANNOTATION]: uid });
  const untilHeld = async (message: RegExp): Promise<void> => {
    await harness.until('home', (release) => {
      const ready = conditionOf(release, 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'ClusterReplaced' });
      expect(ready?.message).toMatch(message);
    });
    expect(await onOther('get', 'all', 'home')).toBe(before);
  };

  await swapKubeconfig(harness.host, secret, wrong);
  await harness.apply('home', { kubeConfig, values: { n: 2 } });
  await untilHeld(new RegExp(`leads to another cluster .* instead of ${uid}; .*${CLUSTER_UID_ANNOTATION}`));
  expect(await revisionsOf(harness, 'home')).toEqual(['1 deployed']);

  await swapKubeconfig(harness.host, secret, right);
  await requestReconciliation('home');
  await harness.untilReady('home');
  expect(await revisionsOf(harness, 'home')).toEqual(['1 superseded', '2 deployed']);

  await swapKubeconfig(harness.host, secret, wrong);
  await remove('home');
  await untilHeld(/^cannot uninstall the release: .* leads to another cluster /);
  expect(await revisionsOf(harness, 'home')).toEqual(['1 superseded', '2 deployed']);

  await swapKubeconfig(harness.host, secret, right);
  await requestReconciliation('home');
  await untilGone('home');
  expect(await harness.helm('list', '--filter=^home$', '--short')).toBe('');
  expect(await onOther('get', 'all', 'home')).toBe(before);
});
