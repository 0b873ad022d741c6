import { expect, test } from '@jest/globals';
import { eventResource, namespaceResource, secretResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import { listAll } from '#runtime/client/kube.js';
import { fixture } from '../../support/fixture.js';
import { eventually } from '../../support/world.js';
import { configMap, createHarness, KUBECONFIG_SECRET } from './harness.js';

const LABELS = { 'gitops.kubesphere.io/application-uid': 'a-uid' };
/** The garbage collector looks for new kinds every 30 s. */
const COLLECTION_MS = 180_000;
const TEST_MS = 600_000;

const harness = fixture(
  () => createHarness('ks-kept'),
  (made) => made.close(),
);

interface Recorded extends KubeObject {
  readonly reason: string;
  readonly message: string;
}

/** Creates a Kustomization that deploys a ConfigMap of the same name to the member. Returns the ConfigMap's UID. */
async function begin(name: string, metadata: object = {}): Promise<string> {
  await harness.publish(name, { 'map.yaml': configMap(name) });
  await harness.apply(name, {
    targetNamespace: harness.namespace,
    kubeConfig: { secretRef: { name: KUBECONFIG_SECRET } },
  });
  await harness.untilReady(name);
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(kustomizationResource, ref, { type: 'merge', body: { metadata } });
  return (await deployed(name)) ?? '';
}

async function deployed(name: string): Promise<string | undefined> {
  return (await harness.configMap(name, harness.member))?.metadata.uid;
}

async function untilGone(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await eventually(async () => expect(await harness.host.get(kustomizationResource, ref)).toBeUndefined(), {
    timeoutMs: COLLECTION_MS,
  });
}

test(
  'a Kustomization whose Application does not exist is collected without its objects',
  async () => {
    const owner = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'old', uid: 'not-there' };
    const before = await begin('lost', { labels: LABELS, ownerReferences: [owner] });
    await untilGone('lost');
    expect(await deployed('lost')).toBe(before);
    await eventually(async () => {
      const { items } = await listAll<Recorded>(harness.host, eventResource, { namespace: harness.namespace });
      const skipped = items.filter(({ reason }) => reason === 'PruneSkipped').map(({ message }) => message);
      expect(skipped).toEqual([
        expect.stringMatching(/^Skipping the deletion of objects: its owner .* does not exist, .*name=lost,.*$/),
      ]);
    });
  },
  TEST_MS,
);

test(
  'with its namespace, one that an Application holds leaves its objects, and a plain one does not',
  async () => {
    const held = await begin('held', { labels: LABELS, annotations: { 'gitops.kubesphere.io/held-by': 'shop' } });
    const left = await begin('left', { labels: LABELS });
    await begin('plain');
    const secret = { name: KUBECONFIG_SECRET, namespace: harness.namespace };
    const hold = (finalizers: string[]) =>
      harness.host.patch(secretResource, secret, { type: 'merge', body: { metadata: { finalizers } } });
    await hold(['test/held']);
    await harness.host.delete(namespaceResource, { name: harness.namespace });
    for (const name of ['held', 'left', 'plain']) await untilGone(name);
    expect([await deployed('held'), await deployed('left'), await deployed('plain')]).toEqual([held, left, undefined]);
    await hold([]);
  },
  TEST_MS,
);
