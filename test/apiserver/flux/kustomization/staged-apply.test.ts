import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import type { Member } from '#controllers/engine/member/member.js';
import { createMembers } from '#controllers/engine/member/members.js';
import { applyStaged } from '#controllers/flux/kustomization/staged-apply.js';
import { readsOf } from '#controllers/runtime/fence.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { prepareCluster } from '#test/support/harness.js';
import { useWorld } from '#test/support/world.js';

const FIELD_MANAGER = 'kustomize-controller';

let kube: Kube;
let namespace: string;
let member: Member;

beforeAll(async () => {
  ({ kube, namespace } = await prepareCluster((await useWorld()).host, 'staged'));
  member = await createMembers({ host: kube }).get('host', namespace);
}, 180_000);

afterAll(() => kube.close());

function configMap(name: string, by: string, annotations: Record<string, string> = {}): Unstructured {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations }, data: { by } };
}

/** The same cluster, in which somebody else creates `object` after the first dry run. */
function raced(object: Unstructured): Member {
  let created: Promise<unknown> | undefined;
  const racing: Kube = {
    ...readsOf(kube),
    actingAs: (user) => kube.actingAs(user),
    create: (type, body, options) => kube.create(type, body, options),
    update: (type, body, options) => kube.update(type, body, options),
    patch: (type, ref, patch, options) => kube.patch(type, ref, patch, options),
    delete: (type, ref, options) => kube.delete(type, ref, options),
    async apply(type, body, options) {
      const answer = await kube.apply<typeof body>(type, body, options);
      if (options.dryRun === true) await (created ??= kube.create(configMapResource, object));
      return answer;
    },
  };
  return { ...member, kube: racing };
}

/** `isKnown`: the inventory lists the object, which is gone. */
async function applyRaced(name: string, annotations: Record<string, string>, isKnown: boolean) {
  const signal = new AbortController().signal;
  const context = { member: raced(configMap(name, 'other')), fieldManager: FIELD_MANAGER, namespace, signal };
  const done = await applyStaged({
    context,
    owner: { name: 'site', namespace },
    force: false,
    objects: [configMap(name, 'us', annotations)],
    beforeWrites: () => Promise.resolve(),
    known: new Set([isKnown ? `${namespace}_${name}__ConfigMap` : 'a_b__ConfigMap']),
  });
  const live = await kube.get<Unstructured>(configMapResource, { name, namespace });
  return { live, actions: done.changes.map(({ action }) => action), failures: done.failures };
}

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
