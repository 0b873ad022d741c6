import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, secretResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import type { Member } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { applyStaged } from '#controllers/kustomization/staged-apply.js';
import { readsOf } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { ignoredPaths } from '#engine/drift/model/ignored-paths.js';
import { prepareCluster } from '../../support/harness.js';
import { useWorld } from '../../support/world.js';

const FIELD_MANAGER = 'kustomize-controller';
const ignored = (): undefined => undefined;

let kube: Kube;
let namespace: string;
let member: Member;

beforeAll(async () => {
  ({ kube, namespace } = await prepareCluster((await useWorld()).host, 'staged'));
  member = await createMembers({ host: kube }).get('host', namespace);
});

afterAll(() => kube.close());

function configMap(name: string, by: string, annotations: Record<string, string> = {}): Unstructured {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations }, data: { by } };
}

/** The same cluster, in which something happens in between. */
function racing(methods: Partial<Kube>): Member {
  const raced: Kube = {
    ...readsOf(kube),
    actingAs: (user) => kube.actingAs(user),
    create: (type, body, options) => kube.create(type, body, options),
    update: (type, body, options) => kube.update(type, body, options),
    patch: (type, ref, patch, options) => kube.patch(type, ref, patch, options),
    delete: (type, ref, options) => kube.delete(type, ref, options),
    apply: (type, body, options) => kube.apply(type, body, options),
    ...methods,
  };
  return { ...member, kube: raced };
}

/** The same cluster, in which somebody else creates `object` after the first dry run. */
function raced(object: Unstructured): Member {
  let created: Promise<unknown> | undefined;
  return racing({
    async apply(type, body, options) {
      const answer = await kube.apply<typeof body>(type, body, options);
      if (options.dryRun === true) await (created ??= kube.create(configMapResource, object));
      return answer;
    },
  });
}

/** `isKnown`: the inventory lists the object, which is gone. */
async function applyRaced(name: string, annotations: Record<string, string>, isKnown: boolean) {
  const signal = new AbortController().signal;
  const context = { member: raced(configMap(name, 'other')), fieldManager: FIELD_MANAGER, namespace, signal };
  const done = await applyStaged({
    holderOf: () => undefined,
    ...{ context, ignored, force: false },
    owner: { name: 'site', namespace },
    objects: [configMap(name, 'us', annotations)],
    beforeWrites: () => Promise.resolve(),
    ...{ isFirst: false, known: new Set(isKnown ? [`${namespace}_${name}__ConfigMap`] : []) },
  });
  const live = await kube.get<Unstructured>(configMapResource, { name, namespace });
  return { live, actions: done.changes.map(({ action }) => action), failures: done.failures };
}

function applyAll(objects: readonly Unstructured[], { on = member, isFirst = true } = {}) {
  const context = { member: on, fieldManager: FIELD_MANAGER, namespace, signal: new AbortController().signal };
  return applyStaged({
    holderOf: () => undefined,
    ...{ context, ignored, objects, isFirst, owner: { name: 'site', namespace }, force: false, known: new Set() },
    beforeWrites: () => Promise.resolve(),
  });
}

const STATUS = { reason: 'Timeout', causes: [] };

test.each<[string, TransientError, boolean]>([
  ['no answer came in time', new TransientError('timed out', { status: { code: 504, ...STATUS } }), true],
  ['nothing is heard', new TransientError('the connection was reset'), true],
  ['it is said that it is refused', new TransientError('denied', { status: { code: 403, ...STATUS } }), false],
])('an object that is created, and of which %s, is told if it may be there', async (when, failure, expected) => {
  const name = `unheard-${when.replaceAll(' ', '-')}`;
  for (const isFirst of [true, false]) {
    const object = configMap(`${name}-${isFirst}`, 'us');
    const on = racing({
      async apply(type, body, options) {
        const answer = await kube.apply<typeof body>(type, body, options);
        if (options.dryRun === true) return answer;
        throw failure;
      },
    });
    const { unanswered, changes, failures } = await applyAll([object], { on, isFirst });
    const id = `${namespace}_${object.metadata.name}__ConfigMap`;
    expect({ unanswered, changes }).toEqual({ unanswered: expected ? [id] : [], changes: [] });
    expect(failures).toHaveLength(1);
  }
});

test('what is unchanged in a stage that is refused is told: nobody may remember it', async () => {
  const ours = configMap('remembered', 'us');
  await applyAll([ours]);
  const homeless = { ...ours, metadata: { name: 'homeless', namespace: 'not-there-at-all' } };
  const { changes, failures } = await applyAll([ours, homeless], { isFirst: false });
  expect(changes.map(({ subject, action }) => [subject, action])).toEqual([
    [`ConfigMap/${namespace}/remembered`, 'unchanged'],
  ]);
  expect(failures.map(({ subject }) => subject)).toEqual(['ConfigMap/not-there-at-all/homeless']);
});

const ONLY_CREATED = { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' };

test.each([
  ['new', false],
  ['gone', true],
])('an object that is %s, and that somebody else creates meanwhile, is looked at again', async (name, isKnown) => {
  const left = await applyRaced(`${name}-left`, ONLY_CREATED, isKnown);
  expect(left).toMatchObject({ live: { data: { by: 'other' } }, actions: ['skipped'], failures: [] });
  const taken = await applyRaced(`${name}-taken`, {}, isKnown);
  expect(taken).toMatchObject({ live: { data: { by: 'us' } }, actions: ['configured'], failures: [] });
});

test('an ignored field that somebody else changes meanwhile is not set back', async () => {
  const sized = (by: string, size: string): Unstructured => ({ ...configMap('sized', by), data: { by, size } });
  await applyAll([sized('us', '1')]);
  const edit = (size: string) =>
    kube.patch(configMapResource, { name: 'sized', namespace }, { type: 'merge', body: { data: { size } } });
  await edit('2');
  const { changes, failures } = await applyStaged({
    holderOf: () => undefined,
    context: { member, fieldManager: FIELD_MANAGER, namespace, signal: new AbortController().signal },
    ...{ owner: { name: 'site', namespace }, force: false, isFirst: false, objects: [sized('us again', '1')] },
    ignored: () => ignoredPaths(['/data/size']),
    known: new Set([`${namespace}_sized__ConfigMap`]),
    // It was looked at, and is not written yet.
    async beforeWrites() {
      await edit('3');
    },
  });
  expect([changes.map(({ action }) => action), failures]).toEqual([['configured'], []]);
  const live = await kube.get<Unstructured>(configMapResource, { name: 'sized', namespace });
  expect(live?.['data']).toEqual({ by: 'us again', size: '3' });
});

test('an object that somebody else creates while it is recreated is not deleted', async () => {
  const owner = { name: 'site', namespace };
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': owner.name,
    'kustomize.toolkit.fluxcd.io/namespace': namespace,
  };
  const secret = (type: string, metadata: object = {}): Unstructured => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'recreated', namespace, ...metadata }, type },
  });
  await kube.apply(secretResource, secret('example.com/one', { labels }), { fieldManager: FIELD_MANAGER, force: true });
  const others = racing({
    async delete(type, ref, options) {
      const existed = await kube.delete(type, ref, options);
      await kube.create(secretResource, secret('example.com/theirs'));
      return existed;
    },
  });
  const { failures } = await applyStaged({
    holderOf: () => undefined,
    context: { member: others, fieldManager: FIELD_MANAGER, namespace, signal: new AbortController().signal },
    ...{ ignored, owner, force: true, isFirst: false, beforeWrites: () => Promise.resolve() },
    objects: [secret('example.com/two', { labels })],
    known: new Set([`${namespace}_recreated__Secret`]),
  });
  expect(failures.map(({ error }) => error.message)).toEqual([expect.stringContaining('force does not recreate it')]);
  const live = await kube.get<Unstructured>(secretResource, { name: 'recreated', namespace });
  expect(live?.['type']).toBe('example.com/theirs');
});
