import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, namespaceResource, secretResource } from '#api/core.js';
import type { DryRun } from '#api/dry-run.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../../support/world.js';
import { conditionOf, configMap, createHarness, KUBECONFIG_SECRET, type Harness } from './harness.js';

const ANNOTATION = 'gitops.kubesphere.io/dry-run';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('dryrun');
});

afterAll(() => harness.close());

async function annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
  const { host, namespace } = harness;
  await host.patch(kustomizationResource, { name, namespace }, { type: 'merge', body: { metadata: { annotations } } });
}

/** A Kustomization that never was without the annotation. */
function annotated(name: string, spec: Parameters<Harness['apply']>[1] = {}): Promise<void> {
  return harness.apply(name, spec, { [ANNOTATION]: 'true' });
}

/** Waits for the change set of a revision. */
async function published(name: string, revision: string): Promise<DryRun> {
  const { status } = await harness.until(name, ({ status: found }) => {
    if (found?.dryRun?.revision !== revision) throw new Error(`not yet: ${JSON.stringify(found, null, 1)}`);
  });
  if (status?.dryRun === undefined) throw new Error('no change set');
  return status.dryRun;
}

/** `action kind/name path: old > new`, one line for each field. */
function lines({ objects = [] }: DryRun): string[] {
  return objects.flatMap(({ action, kind, name, fields = [] }) => [
    `${action} ${kind}/${name}`,
    ...fields.map(({ path, old, new: next }) => `  ${path}: ${old ?? '-'} > ${next ?? '-'}`),
  ]);
}

function secret(name: string, value: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { value } });
}

/** What is written to a cluster in the test's namespace, or about it, and is no dry run. */
async function writesSince(since: number): Promise<string[]> {
  const { world, namespace } = harness;
  const entries = await auditEntriesUntilNow(world.host, since);
  const ours = entries.filter(({ objectRef, requestURI }) => {
    const isOurs = objectRef?.namespace === namespace || (objectRef?.name ?? '').startsWith(namespace);
    return isOurs && !requestURI.includes('dryRun=All') && objectRef?.resource !== 'events';
  });
  return ours.map(({ verb, requestURI }) => `${verb} ${requestURI.split('?')[0] ?? ''}`);
}

test('what would be created, changed and deleted is published, and nothing else is written', async () => {
  const { host, namespace } = harness;
  const before = {
    'a.yaml': configMap('kept', { n: '1' }),
    'b.yaml': configMap('gone'),
    'c.yaml': secret('key', 'one'),
  };
  const first = await harness.publish('whole', before);
  await harness.apply('whole');
  const applied = await harness.untilReady('whole');
  await annotate('whole', { [ANNOTATION]: 'true' });
  expect((await published('whole', first)).summary).toMatchObject({ unchanged: 3 });
  const since = await auditPosition(harness.world.host);
  const revision = await harness.publish('whole', {
    'a.yaml': configMap('kept', { n: '2' }),
    'c.yaml': secret('key', 'two'),
    'd.yaml': configMap('new', { n: '1' }),
  });
  const dryRun = await published('whole', revision);
  expect(lines(dryRun)).toEqual([
    'deleted ConfigMap/gone',
    'changed ConfigMap/kept',
    '  /data/n: "1" > "2"',
    'changed Secret/key',
    '  /data/value: - > -',
    'created ConfigMap/new',
  ]);
  expect(dryRun.summary).toMatchObject({ created: 1, changed: 2, deleted: 1, unchanged: 0, failed: 0 });
  const writes = await writesSince(since);
  const status = `patch /apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${namespace}/kustomizations/whole/status`;
  const sources = writes.filter((write) => write.includes('/gitrepositories/'));
  expect(writes.filter((write) => !sources.includes(write) && write !== status)).toEqual([]);
  const found = await harness.read('whole');
  expect(found.status?.lastAppliedRevision).toBe(applied.status?.lastAppliedRevision);
  expect(found.status?.inventory).toEqual(applied.status?.inventory);
  expect(found.status?.history).toEqual(applied.status?.history);
  expect(conditionOf(found, 'Ready')).toEqual(conditionOf(applied, 'Ready'));
  expect(conditionOf(found, 'DryRun')).toMatchObject({ status: 'True', reason: 'DryRunSucceeded' });

  // Without the annotation, exactly that happens.
  await annotate('whole', { [ANNOTATION]: null });
  const after = await harness.untilReady('whole', revision);
  expect(after.status).not.toHaveProperty('dryRun');
  expect(conditionOf(after, 'DryRun')).toBeUndefined();
  expect(await harness.configMap('gone')).toBeUndefined();
  expect((await harness.configMap('kept'))?.data).toEqual({ n: '2' });
  expect((await harness.configMap('new'))?.data).toEqual({ n: '1' });
  const key = await host.get(secretResource, { name: 'key', namespace });
  expect(key).toMatchObject({ data: { value: Buffer.from('two').toString('base64') } });
});

test('one that was never applied gets no finalizer and no object, and is deleted at once', async () => {
  const revision = await harness.publish('fresh', { 'a.yaml': configMap('fresh') });
  await annotated('fresh');
  expect(lines(await published('fresh', revision))).toEqual(['created ConfigMap/fresh']);
  const found = await harness.read('fresh');
  expect(found.metadata.finalizers ?? []).toEqual([]);
  expect(conditionOf(found, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'DryRun' });
  expect(await harness.configMap('fresh')).toBeUndefined();
  await harness.remove('fresh');
});

test('a second pass that finds the same writes nothing', async () => {
  const { controllers, namespace } = harness;
  const revision = await harness.publish('rest', { 'a.yaml': configMap('rest', { n: '1' }) });
  await harness.apply('rest');
  await annotate('rest', { [ANNOTATION]: 'true' });
  const first = await published('rest', revision);
  const writes = await harness.writesDuring('rest', () =>
    controllers.passes.after({ name: 'rest', namespace }, () => annotate('rest', { 'example.com/note': '1' })),
  );
  expect(writes.filter((write) => write.endsWith('/status'))).toEqual([]);
  expect((await harness.read('rest')).status?.dryRun).toEqual(first);
});

test('a key that comes from a Secret is not shown, and a name is, as in the inventory', async () => {
  const { host, namespace } = harness;
  const variables = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace } };
  await host.create(secretResource, { ...variables, stringData: { key: 's3cret', name: 'masked' } });
  const files = (data: Record<string, string>) => ({ 'a.yaml': configMap('${name}', data) });
  const spec = { postBuild: { substituteFrom: [{ kind: 'Secret' as const, name: 'keys' }] } };
  await harness.publish('masked', files({ a: '1' }));
  await harness.apply('masked', spec);
  await harness.untilReady('masked');
  await annotate('masked', { [ANNOTATION]: 'true' });
  const revision = await harness.publish('masked', files({ a: '1', 'of-${key}': '2', '${key:0:3}': '3', b: '4' }));
  const paths = ['  /data/b: - > -', '  /data/*****: - > -', '  /data/*****: - > -'];
  expect(lines(await published('masked', revision))).toEqual(['changed ConfigMap/masked', ...paths]);
});

/** A CRD of a kind of the test's own. */
function widgets(group: string): object {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' }, versions: [version] },
  };
}

test('what needs something that the same build creates is listed as created', async () => {
  const { namespace } = harness;
  const other = `${namespace}-other`;
  const group = `${namespace}.example.com`;
  const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one', namespace } };
  const revision = await harness.publish('nested', {
    'a.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } }),
    'b.yaml': configMap('inside', {}, { namespace: other }),
    'c.yaml': JSON.stringify(widgets(group)),
    'd.yaml': JSON.stringify(widget),
  });
  await annotated('nested', { targetNamespace: undefined });
  const dryRun = await published('nested', revision);
  expect(dryRun.summary).toMatchObject({ created: 4, failed: 0 });
  const messages = Object.fromEntries((dryRun.objects ?? []).map(({ kind, message }) => [kind, message]));
  expect(messages).toMatchObject({
    ConfigMap: 'not checked: its namespace is created first',
    Widget: 'not checked: its CRD is created first',
  });
  expect(await harness.host.get(namespaceResource, { name: other })).toBeUndefined();
});

test('an object that the cluster rejects is named, and the others are compared', async () => {
  const immutable = (type: string): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'immutable' }, type });
  const first = await harness.publish('wrong', { 'a.yaml': immutable('example.com/one') });
  await harness.apply('wrong');
  await harness.untilReady('wrong');
  await annotate('wrong', { [ANNOTATION]: 'true' });
  await published('wrong', first);
  const revision = await harness.publish('wrong', {
    'a.yaml': immutable('example.com/two'),
    'b.yaml': configMap('right'),
  });
  expect(lines(await published('wrong', revision))).toEqual(['failed Secret/immutable', 'created ConfigMap/right']);
  const found = await harness.until('wrong', (kustomization) => {
    expect(conditionOf(kustomization, 'DryRun')).toMatchObject({ status: 'False', reason: 'DryRunFailed' });
  });
  expect(conditionOf(found, 'DryRun')?.message).toContain(`Secret/${harness.namespace}/immutable`);
  // Ready is of what is applied.
  expect(conditionOf(found, 'Ready')).toMatchObject({ status: 'True' });
  await harness.apply('wrong', { force: true });
  await harness.until('wrong', ({ status }) => {
    expect(status?.dryRun?.objects?.map(({ action }) => action)).toEqual(['recreated', 'created']);
  });
});

test('a member is asked, and not written to', async () => {
  const { member, namespace } = harness;
  const revision = await harness.publish('far', { 'a.yaml': configMap('far') });
  await annotated('far', { kubeConfig: { secretRef: { name: KUBECONFIG_SECRET } } });
  expect(lines(await published('far', revision))).toEqual(['created ConfigMap/far']);
  expect(await member.get(configMapResource, { name: 'far', namespace })).toBeUndefined();
});

test('a suspended one is left alone, and a build that fails shows no old change set', async () => {
  const revision = await harness.publish('broken', { 'a.yaml': configMap('broken') });
  await annotated('broken');
  await published('broken', revision);
  await harness.publish('broken', { 'kustomization.yaml': 'resources: [missing.yaml]' });
  const found = await harness.until('broken', (kustomization) => {
    expect(conditionOf(kustomization, 'DryRun')).toMatchObject({ status: 'False', reason: 'BuildFailed' });
  });
  expect(found.status).not.toHaveProperty('dryRun');
  await annotated('broken', { suspend: true });
  await harness.controllers.passes.after({ name: 'broken', namespace: harness.namespace }, () =>
    annotate('broken', { 'example.com/note': '1' }),
  );
  expect((await harness.read('broken')).status).toEqual(found.status);
});

test('a deletion is no dry run: the objects go as the policy says', async () => {
  const revision = await harness.publish('end', { 'a.yaml': configMap('end') });
  await harness.apply('end');
  await harness.untilReady('end');
  await annotate('end', { [ANNOTATION]: 'true' });
  await published('end', revision);
  await harness.remove('end');
  await eventually(async () => {
    expect(await harness.configMap('end')).toBeUndefined();
  });
});
