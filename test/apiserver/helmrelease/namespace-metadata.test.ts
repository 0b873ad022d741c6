import { expect, test } from '@jest/globals';
import { namespaceResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-ns', { charts: { plain: PLAIN } });

interface Wish {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

async function annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
  const { host, namespace } = harness;
  await host.patch(helmReleaseResource, { name, namespace }, { type: 'merge', body: { metadata: { annotations } } });
}

async function wish(name: string, wanted: Wish): Promise<void> {
  await annotate(name, { [NAMESPACE_METADATA_ANNOTATION]: JSON.stringify(wanted) });
}

/** A release that has its wish from the beginning. */
async function applyWith(name: string, wanted: Wish, spec: Parameters<typeof harness.apply>[1]): Promise<void> {
  await harness.apply(name, { ...spec, suspend: true });
  await wish(name, wanted);
  await harness.apply(name, spec);
}

async function makeTarget(name: string, labels: Record<string, string> = {}): Promise<string> {
  const metadata = { name: `${harness.namespace}-${name}`, labels };
  await harness.member.create(
    namespaceResource,
    { apiVersion: 'v1', kind: 'Namespace', metadata },
    { fieldManager: 'somebody' },
  );
  return metadata.name;
}

async function metadataOf(name: string): Promise<KubeObject['metadata']> {
  const live = await harness.member.get<KubeObject>(namespaceResource, { name });
  if (live === undefined) throw new Error(`no namespace ${name}`);
  return live.metadata;
}

async function labelsOf(name: string): Promise<Record<string, string>> {
  const { [`kubernetes.io/metadata.name`]: own, ...labels } = (await metadataOf(name)).labels ?? {};
  expect(own).toBe(name);
  return labels;
}

async function uninstall(name: string): Promise<void> {
  const { host, namespace } = harness;
  await host.delete(helmReleaseResource, { name, namespace });
  await eventually(async () => expect(await host.get(helmReleaseResource, { name, namespace })).toBeUndefined());
}

function isReady(name: string, reason: string, message: RegExp): Promise<unknown> {
  return harness.until(name, (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason });
    expect(conditionOf(release, 'Ready')?.message).toMatch(message);
  });
}

test('labels of others on a namespace stay, whether ours are added, changed, taken back, or go with the release', async () => {
  const target = await makeTarget('shared', { team: 'a', 'pod-security.kubernetes.io/enforce': 'baseline' });
  const others = { team: 'a', 'pod-security.kubernetes.io/enforce': 'baseline' };
  const wanted = { labels: { tier: 'web', zone: 'x' }, annotations: { note: 'by hand\n"é"' } };
  await applyWith('shared', wanted, { targetNamespace: target });
  await harness.untilReady('shared');
  expect(await labelsOf(target)).toEqual({ ...others, tier: 'web', zone: 'x' });
  expect((await metadataOf(target)).annotations).toMatchObject(wanted.annotations);

  await wish('shared', { labels: { tier: 'edge' } });
  await eventually(async () => expect(await labelsOf(target)).toEqual({ ...others, tier: 'edge' }));
  expect((await metadataOf(target)).annotations ?? {}).not.toHaveProperty('note');

  await wish('shared', {});
  await eventually(async () => expect(await labelsOf(target)).toEqual(others));
  await harness.until('shared', ({ metadata }) => {
    expect(metadata.annotations ?? {}).not.toHaveProperty([NAMESPACE_METADATA_ANNOTATION]);
  });

  await wish('shared', { labels: { tier: 'last' } });
  await eventually(async () => expect(await labelsOf(target)).toEqual({ ...others, tier: 'last' }));
  await uninstall('shared');
  expect(await labelsOf(target)).toEqual(others);
  expect(await metadataOf(target)).not.toHaveProperty('deletionTimestamp');
});

test('a namespace that the install creates is labelled before anything is in it', async () => {
  const target = `${harness.namespace}-new`;
  const spec = { targetNamespace: target, storageNamespace: harness.namespace, install: { createNamespace: true } };
  await applyWith('new', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }, spec);
  await harness.untilReady('new');
  expect(await labelsOf(target)).toEqual({ name: target, 'pod-security.kubernetes.io/enforce': 'privileged' });
  await uninstall('new');
  expect(await labelsOf(target)).toEqual({ name: target });
});

test('a namespace that does not exist is not created by its labels, and the message has the way out', async () => {
  const target = `${harness.namespace}-none`;
  const spec = { targetNamespace: target, storageNamespace: harness.namespace };
  await applyWith('none', { labels: { a: 'b' } }, spec);
  await isReady('none', 'NamespaceNotReady', /does not exist: create it, or set spec.install.createNamespace: true/);
  expect(await harness.member.get(namespaceResource, { name: target })).toBeUndefined();
  await makeTarget('none');
  await harness.untilReady('none');
  expect(await labelsOf(target)).toEqual({ a: 'b' });
});

test('a value of somebody else is reported and stays, until it fits', async () => {
  const target = await makeTarget('held', { team: 'a' });
  await applyWith('held', { labels: { team: 'b', own: 'x' } }, { targetNamespace: target });
  await isReady('held', 'NamespaceConflict', /label team has another value, set by somebody/);
  expect(await labelsOf(target)).toEqual({ team: 'a' });
  expect((await harness.read('held')).status?.history ?? []).toEqual([]);
  await wish('held', { labels: { team: 'a', own: 'x' } });
  await harness.untilReady('held');
  expect(await labelsOf(target)).toEqual({ team: 'a', own: 'x' });
  await uninstall('held');
  expect(await labelsOf(target)).toEqual({ team: 'a' });
});

test('of two releases in a namespace the later one reports a conflict, and each takes only its own labels along', async () => {
  const target = await makeTarget('two');
  await applyWith('one', { labels: { tier: 'web', one: '1', both: 'x' } }, { targetNamespace: target });
  await harness.untilReady('one');
  await applyWith('other', { labels: { tier: 'db', other: '1', both: 'x' } }, { targetNamespace: target });
  await isReady(
    'other',
    'NamespaceConflict',
    new RegExp(`label tier has another value, set by .*${harness.namespace}/one`),
  );
  expect(await labelsOf(target)).toEqual({ tier: 'web', one: '1', both: 'x' });
  await wish('other', { labels: { other: '1', both: 'x' } });
  await harness.untilReady('other');
  await uninstall('one');
  expect(await labelsOf(target)).toEqual({ other: '1', both: 'x' });
});

test('kube-system gets labels like any other namespace, and keeps its own', async () => {
  const before = await metadataOf('kube-system');
  await applyWith('system', { labels: { 'fairlead-test': 'x' } }, { targetNamespace: 'kube-system' });
  await harness.untilReady('system');
  expect(await labelsOf('kube-system')).toMatchObject({ 'fairlead-test': 'x' });
  await uninstall('system');
  const { labels, annotations, uid } = await metadataOf('kube-system');
  expect({ labels, annotations, uid }).toEqual({
    labels: before.labels,
    annotations: before.annotations,
    uid: before.uid,
  });
});

test('a suspended release changes nothing, and leaves its labels when it goes', async () => {
  const target = await makeTarget('asleep');
  await applyWith('asleep', { labels: { tier: 'web' } }, { targetNamespace: target });
  await harness.untilReady('asleep');
  await harness.apply('asleep', { targetNamespace: target, suspend: true });
  await wish('asleep', { labels: { tier: 'none' } });
  await harness.passes.atRest({ name: 'asleep', namespace: harness.namespace });
  expect(await labelsOf(target)).toEqual({ tier: 'web' });
  await uninstall('asleep');
  expect(await labelsOf(target)).toEqual({ tier: 'web' });
});

test('nothing is written while nothing changes, and a label that somebody removes comes back', async () => {
  const { member, namespace, world } = harness;
  const target = await makeTarget('idle');
  await applyWith('idle', { labels: { tier: 'web' } }, { targetNamespace: target });
  await harness.untilReady('idle');
  await harness.passes.atRest({ name: 'idle', namespace });
  const cluster = world.members[0]!; // the harness runs on it
  const since = await auditPosition(cluster);
  const requested = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  await harness.passes.after({ name: 'idle', namespace }, () => annotate('idle', requested));
  const writes = async (): Promise<string[]> => {
    const entries = await auditEntriesUntilNow(cluster, since);
    const ours = entries.filter(({ requestURI }) => requestURI.includes(`/namespaces/${target}?`));
    return ours.map(({ requestURI }) => new URL(requestURI, 'http://x').searchParams.get('fieldManager') ?? '');
  };
  expect(await writes()).toEqual([]);
  await member.patch(
    namespaceResource,
    { name: target },
    {
      type: 'merge',
      body: { metadata: { labels: { tier: null } } },
    },
  );
  await annotate('idle', { 'reconcile.fluxcd.io/requestedAt': 'later' });
  await eventually(async () => expect(await labelsOf(target)).toEqual({ tier: 'web' }));
  expect(await writes()).toEqual([`fairlead/namespace-of/${namespace}/idle`]);
});

test('a release that moves takes its labels along', async () => {
  const [from, to] = [await makeTarget('from'), await makeTarget('to')];
  const storageNamespace = harness.namespace;
  await applyWith('moving', { labels: { tier: 'web' } }, { targetNamespace: from, storageNamespace });
  await harness.untilReady('moving');
  await harness.apply('moving', { targetNamespace: to, storageNamespace });
  await eventually(async () => expect(await labelsOf(to)).toEqual({ tier: 'web' }));
  await harness.untilReady('moving');
  expect(await labelsOf(from)).toEqual({});
});

test.each([
  ['no JSON', '{"labels":', /not a JSON object/],
  ['a reserved key', '{"labels":{"kubernetes.io/metadata.name":"kube-system"}}', /set by the system/],
  ['a mark of ours', '{"annotations":{"gitops.kubesphere.io/demo-uid":"x"}}', /set by the system/],
])('an annotation with %s stalls the release before anything is done', async (title, text, message) => {
  const name = `bad-${title.replaceAll(/[^a-z]/gi, '-').toLowerCase()}`;
  await harness.apply(name, { suspend: true });
  await annotate(name, { [NAMESPACE_METADATA_ANNOTATION]: text });
  await harness.apply(name, {});
  await isReady(name, 'NamespaceMetadataInvalid', message);
  expect(await harness.configMap(name)).toBeUndefined();
  await annotate(name, { [NAMESPACE_METADATA_ANNOTATION]: null });
  await harness.untilReady(name);
});

test('a dry run shows the labels that it would set, and sets none', async () => {
  const target = await makeTarget('dry', { team: 'a' });
  await harness.apply('dry', { targetNamespace: target, suspend: true });
  await annotate('dry', { 'gitops.kubesphere.io/dry-run': 'true' });
  await wish('dry', { labels: { tier: 'web' } });
  await harness.apply('dry', { targetNamespace: target });
  const { status } = await harness.until('dry', ({ status: found }) => expect(found?.dryRun?.objects).toBeDefined());
  expect(status?.dryRun?.objects).toContainEqual({
    action: 'changed',
    apiVersion: 'v1',
    kind: 'Namespace',
    name: target,
    fields: [{ path: '/metadata/labels/tier', new: '"web"' }],
  });
  expect(await labelsOf(target)).toEqual({ team: 'a' });
  await wish('dry', { labels: { team: 'b' } });
  await harness.until('dry', ({ status: found }) => {
    expect(found?.dryRun?.objects).toContainEqual(
      expect.objectContaining({ action: 'failed', message: expect.stringContaining('label team has another value') }),
    );
  });
});
