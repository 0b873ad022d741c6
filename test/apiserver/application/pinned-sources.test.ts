import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controllerRevisionResource } from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KubeObject, ObjectRef } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { PINNED_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { sourcesOfChild } from '#controllers/application/model/sources/made-source.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { listAll } from '#runtime/client/kube.js';
import { createHarness, type Harness } from '../source/harness.js';
import type { RunningControllers } from '../../support/harness.js';
import { Pusher, tarLayer } from '../../support/oci.js';
import { auditEntriesUntilNow, auditPosition, eventually } from '../../support/world.js';
import { deploy, files } from '../../unit/application/model/builders.js';
import { StagedStory } from './staged-story.js';
import { runApplications } from './with-sources.js';

let harness: Harness;
let controllers: RunningControllers;
let story: StagedStory;

beforeAll(async () => {
  harness = await createHarness('pinned');
  story = new StagedStory(harness);
  await story.createClusters();
  controllers = runApplications(harness.host, harness.namespace);
});

afterAll(async () => {
  await controllers.stop();
  await harness.close();
});

/** The name of the source of a child. */
function sourceOf(child: Child): string {
  const [place] = sourcesOfChild(child);
  return place?.name ?? '';
}

/** The copies at this commit or digest. */
async function copiesAt(id: string): Promise<KubeObject[]> {
  const query = { namespace: harness.namespace, labelSelector: PINNED_SOURCE_LABEL };
  const lists = [gitRepositoryResource, ociRepositoryResource].map((type) => listAll(harness.host, type, query));
  const all = (await Promise.all(lists)).flatMap(({ items }) => items);
  // Their fields are those of sources.
  return all.filter((each) => JSON.stringify((each as unknown as { spec: { ref: object } }).spec.ref).includes(id));
}

/** The name of the copy at this commit or digest, once it exists. */
function copyAt(id: string): Promise<string> {
  return eventually(async () => {
    const [copy, ...more] = await copiesAt(id);
    expect(more).toEqual([]);
    if (copy === undefined) throw new Error(`there is no copy at ${id}`);
    return copy.metadata.name;
  });
}

/** The same of one source. */
async function nameOfCopy(source: string, id: string): Promise<string> {
  const start = `pinned-${source}-`;
  return eventually(async () => {
    const found = (await copiesAt(id)).find(({ metadata }) => metadata.name.startsWith(start));
    if (found === undefined) throw new Error(`there is no copy of ${source}`);
    return found.metadata.name;
  });
}

async function commit(source: string, content: string): Promise<string> {
  const id = await harness.commit({ [`${source}.yaml`]: `content: ${content}\n` });
  await harness.reconcile('GitRepository', source);
  return id;
}

async function putFiles(name: string, source: string, path = '.'): Promise<void> {
  const kustomization = ['eu', 'us'].map((cluster) => files(name, cluster, { path }));
  await story.put(name, { kind: 'GitRepository', name: source }, { kustomization });
}

function runs(name: string, sources: Record<string, string>): Promise<void> {
  return story.eventuallyRuns(name, sources, sourceOf);
}

test('a branch means the same commit on all clusters while a new one appears', async () => {
  const before = await harness.commit({ 'fleet.yaml': 'content: one\n' });
  const spec = { url: harness.gitUrl, ref: { branch: 'main' }, timeout: '30s' };
  await harness.apply('GitRepository', 'fleet', spec);
  await putFiles('branch', 'fleet');
  const first = await copyAt(before);
  await runs('branch', { eu: first });
  const after = await commit('fleet', 'two');
  const second = await copyAt(after);
  await story.becomes('branch', 'False', 'RolloutProgressing', `main@sha1:${after} is available`);
  await story.finish('branch', 'eu');
  await runs('branch', { eu: first, us: first });
  await story.finish('branch', 'us');
  // The next rollout begins at the first stage.
  await runs('branch', { eu: second, us: first });

  const us = await story.childOf('branch', 'us');
  const edit = { type: 'merge', body: { spec: { sourceRef: { name: 'fleet' } } } } as const;
  await harness.host.patch(kustomizationResource, us.metadata, edit, { fieldManager: 'user' });
  await runs('branch', { eu: second, us: first });
  await story.finish('branch', 'us');
  await story.rollOut('branch', { eu: second, us: second }, sourceOf);
  expect((await story.read('branch'))?.status).toMatchObject({
    history: { revision: 2 },
    sources: [{ kind: 'GitRepository', name: 'fleet', revision: `main@sha1:${after}` }],
  });
  const user = await harness.read('GitRepository', 'fleet');
  expect(user?.spec).toMatchObject(spec);
  const copy = await harness.read('GitRepository', second);
  expect(copy?.spec).toEqual({ ...user?.spec, ref: { branch: 'main', commit: after } });
});

test('nothing is written while nothing changes, and a copy that is deleted or edited comes back', async () => {
  const head = await harness.commit({ 'calm.yaml': 'content: one\n' });
  await harness.apply('GitRepository', 'calm', { url: harness.gitUrl, ref: { branch: 'main' } });
  await putFiles('calm', 'calm');
  const copy = await nameOfCopy('calm', head);
  await story.rollOut('calm', { eu: copy, us: copy }, sourceOf);
  const ref = { name: copy, namespace: harness.namespace };
  const before = await harness.untilReady('GitRepository', copy);
  await harness.host.delete(gitRepositoryResource, ref);
  await harness.until('GitRepository', copy, ({ metadata }) => expect(metadata.uid).not.toBe(before.metadata.uid));
  const edit = { spec: { ref: { commit: 'f'.repeat(40) } } };
  await harness.host.patch(gitRepositoryResource, ref, { type: 'merge', body: edit }, { fieldManager: 'user' });
  await harness.until('GitRepository', copy, ({ spec }) => expect(spec['ref']).toMatchObject({ commit: head }));
  await harness.untilReady('GitRepository', copy);
  await controllers.passes.atRest({ name: 'calm', namespace: harness.namespace });
  await controllers.passes.atRest(ref);
  const since = await auditPosition(harness.world.host);
  const note = { type: 'merge', body: { metadata: { annotations: { note: 'read by nobody' } } } } as const;
  for (const [type, each] of [
    [gitRepositoryResource, ref],
    [applicationResource, { ...ref, name: 'calm' }],
  ] as const) {
    await controllers.passes.after(each, () => harness.host.patch(type, each, note, { fieldManager: 'user' }));
  }
  const writes = (await auditEntriesUntilNow(harness.world.host, since)).filter(
    ({ objectRef, verb, requestURI }) =>
      objectRef?.namespace === harness.namespace && verb !== 'watch' && !requestURI.includes('fieldManager=user'),
  );
  expect(writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
});

async function revisionsOf(application: string): Promise<ObjectRef[]> {
  const { items } = await listAll(harness.host, controllerRevisionResource, { namespace: harness.namespace });
  return items
    .map(({ metadata }) => metadata)
    .filter((each) => each.ownerReferences?.some(({ name }) => name === application));
}

test('a copy follows its source, and is deleted when no child and no revision needs it', async () => {
  const head = await harness.commit({ 'gone.yaml': 'content: one\n' });
  await harness.apply('GitRepository', 'gone', { url: harness.gitUrl, ref: { branch: 'main' }, ignore: 'a\n' });
  await putFiles('gone', 'gone');
  await runs('gone', { eu: await nameOfCopy('gone', head) });
  const name = await nameOfCopy('gone', head);
  await harness.apply('GitRepository', 'gone', { url: harness.gitUrl, ref: { branch: 'main' } });
  await harness.until('GitRepository', name, ({ spec }) => expect(spec).not.toHaveProperty('ignore'));
  await harness.remove('GitRepository', 'gone');
  await eventually(async () =>
    expect((await story.read('gone'))?.status?.warnings?.join()).toContain('does not exist'),
  );
  expect((await harness.read('GitRepository', name))?.metadata.deletionTimestamp).toBeUndefined();

  const [revision, ...others] = await revisionsOf('gone');
  expect(others).toEqual([]);
  const holding = (finalizers: string[] | null) => ({ type: 'merge', body: { metadata: { finalizers } } }) as const;
  // The garbage collector deletes revisions after their Application, but not at once.
  await harness.host.patch(controllerRevisionResource, revision!, holding(['tests.example.com/hold']));
  await harness.host.delete(applicationResource, { name: 'gone', namespace: harness.namespace });
  await eventually(async () => expect(await story.read('gone')).toBeUndefined());
  await eventually(async () => expect(await story.childrenOf('gone')).toEqual([]));
  expect((await harness.read('GitRepository', name))?.metadata.deletionTimestamp).toBeUndefined();
  await harness.host.patch(controllerRevisionResource, revision!, holding(null));
  await harness.host.delete(controllerRevisionResource, revision!);
  await eventually(async () => expect(await harness.read('GitRepository', name)).toBeUndefined());
});

test('a tag of a registry means the same digest on all clusters', async () => {
  const { registry } = harness.world;
  const place = `pinned/${harness.namespace}`;
  const pusher = new Pusher(`http://${registry}`, place);
  const push = async (content: string) => pusher.image('stable', [await tarLayer({ 'a.yaml': `a: ${content}\n` })]);
  const before = await push('one');
  await harness.apply('OCIRepository', 'web', {
    url: `oci://${registry}/${place}`,
    insecure: true,
    ref: { tag: 'stable' },
  });
  const entries = ['eu', 'us'].map((cluster) => deploy('tag', cluster));
  await story.put(
    'tag',
    { kind: 'OCIRepository', name: 'web' },
    { helmRelease: { chart: { chart: 'web' }, deploy: entries } },
  );
  const first = await copyAt(before);
  await runs('tag', { eu: first });
  const after = await push('two');
  await harness.reconcile('OCIRepository', 'web');
  const second = await copyAt(after);
  await story.finish('tag', 'eu');
  await runs('tag', { eu: first, us: first });
  await story.finish('tag', 'us');
  await runs('tag', { eu: second, us: first });
  await story.rollOut('tag', { eu: second, us: second }, sourceOf);
});

test('a source that takes the name of a copy is left alone, and nothing is updated to it', async () => {
  const head = await harness.commit({ 'taken.yaml': 'content: one\n' });
  await harness.apply('GitRepository', 'taken', { url: harness.gitUrl, ref: { branch: 'main' } });
  await putFiles('taken', 'taken');
  const copy = await nameOfCopy('taken', head);
  await story.rollOut('taken', { eu: copy, us: copy }, sourceOf);
  const pinned = (await harness.read('GitRepository', copy))?.spec;
  await harness.host.delete(applicationResource, { name: 'taken', namespace: harness.namespace });
  await eventually(async () => expect(await story.childrenOf('taken')).toEqual([]));
  const query = { namespace: harness.namespace };
  for (const { metadata } of (await listAll(harness.host, controllerRevisionResource, query)).items) {
    const isOwn = metadata.ownerReferences?.some(({ name }) => name === 'taken');
    if (isOwn === true) await harness.host.delete(controllerRevisionResource, metadata);
  }
  await eventually(async () => expect(await harness.read('GitRepository', copy)).toBeUndefined());
  await harness.apply('GitRepository', copy, { ...pinned, interval: '2h' });
  await putFiles('taken', 'taken');
  await story.becomes('taken', 'False', 'RolloutAwaitingSource', `${copy} exists, and Fairlead did not create it`);
  expect(await story.childrenOf('taken')).toEqual([]);
  expect((await harness.read('GitRepository', copy))?.spec['interval']).toBe('2h');
});
