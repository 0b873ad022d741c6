import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { namespaceResource, secretResource } from '#api/core.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, HALTED_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { Identities } from '#controllers/cluster/identities.js';
import { probeController } from '#controllers/cluster/probe/setup.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { World } from '#sandbox/world.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';
import { giveKubeconfig, swapKubeconfig } from '../../support/kubeconfig-secret.js';
import { eventually, kubeFor, useWorld } from '../../support/world.js';
import { toClusters } from '../../unit/application/model/clusters/builders.js';
import type { Deploy } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

/** Probes follow a change within seconds. */
const PATIENCE = { timeoutMs: 60_000 };
const entryFor = (name: string, more: Partial<Deploy> = {}): Deploy =>
  toClusters({ clusterRef: { kind: 'Secret', name } }, more);

describe('a kubeconfig that leads to another cluster, on real API servers', () => {
  const identities = new Identities();
  const harness = useHarness({ identities });
  let world: World;
  let uids: readonly string[];
  let probes: RunningControllers;

  const fileOf = (index: number): string => world.members[index]!.kubeconfig;
  const ref = (name: string) => ({ name, namespace: harness.namespace });
  const patchSecret = (name: string, metadata: object) =>
    harness.kube.patch(secretResource, ref(name), { type: 'merge', body: { metadata } });
  const describeCluster = async (name: string): Promise<void> => {
    await giveKubeconfig(harness.kube, ref(name), fileOf(0));
    await patchSecret(name, { labels: { 'gitops.kubesphere.io/cluster': 'true' } });
  };
  const childOf = async (name: string): Promise<Child> => (await harness.eventuallyHas(name, 1))[0]!;
  const untilChild = (name: string, check: (child: Child) => void): Promise<void> =>
    eventually(async () => check(await childOf(name)), PATIENCE);
  const halted = ({ metadata, spec }: Child) => [metadata.annotations?.[HALTED_ANNOTATION], spec.suspend];
  const replacedOf = async (name: string) =>
    (await harness.read(name)).status?.destinations?.map(({ replaced }) => replaced);
  /** An Application on a cluster of its name, which is another cluster now. */
  const replace = async (name: string): Promise<void> => {
    await describeCluster(name);
    await harness.put(name, [entryFor(name)]);
    await untilChild(name, (child) => expect(recordedUid(child)).toBe(uids[0]));
    await swapKubeconfig(harness.kube, ref(name), fileOf(1));
    await untilChild(name, (child) => expect(halted(child)).toEqual([uids[1], true]));
  };

  beforeAll(async () => {
    world = await useWorld();
    const found = await Promise.all(
      world.members.slice(0, 2).map(async (member) => {
        const kube = await kubeFor(member);
        const namespace = await kube.get(namespaceResource, { name: 'kube-system' });
        await kube.close();
        return namespace?.metadata.uid ?? '';
      }),
    );
    uids = found;
    const { kube, namespace } = harness;
    const options = { registry: new Registry(), namespace, allowInsecure: false, identities };
    probes = runControllers({ kube, namespace }, [(context) => probeController(context, options)]);
  });

  afterAll(() => probes.stop());

  it('gets nothing, also after a restart, until it is accepted', async () => {
    await replace('taken');
    await harness.becomes('taken', 'False', 'ClusterReplaced');
    const message = getCondition((await harness.read('taken')).status?.conditions, 'Ready')?.message;
    expect(message).toContain(`cluster taken was replaced: the UID of its namespace kube-system was ${uids[0]!}`);
    expect(message).toMatch(/accept-cluster-uid of Secret .*\/taken to the new UID$/);
    expect(await harness.eventsOf('taken')).toContainEqual(expect.stringMatching(/^Halted: HelmRelease .*replaced/));

    const object = { kind: 'Secret', ...ref('taken') };
    expect(await replacedOf('taken')).toEqual([{ object, recorded: uids[0], found: uids[1] }]);

    const before = await harness.position('taken');
    await harness.passAfter('taken', () => harness.put('taken', [entryFor('taken', { interval: '7m' })]));
    await harness.pause();
    // It knows of no probe.
    const restarted = harness.startControllers({ identities: new Identities() });
    await restarted.passes.after(ref('taken'), () => harness.put('taken', [entryFor('taken', { interval: '8m' })]));
    expect((await harness.writes(before, 'taken')).filter((write) => write.includes('helmreleases'))).toEqual([]);
    await harness.becomes('taken', 'False', 'ClusterReplaced');
    // Nobody can accept what has not answered.
    expect(await replacedOf('taken')).toEqual([undefined]);
    await restarted.stop();

    const again = harness.startControllers({ identities });
    await patchSecret('taken', { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: uids[1] } });
    await untilChild('taken', (child) => {
      expect(halted(child)).toEqual([undefined, undefined]);
      expect([recordedUid(child), child.spec['interval']]).toEqual([uids[1], '8m']);
    });
    await eventually(async () => expect(await replacedOf('taken')).toEqual([undefined]));
    await again.stop();
  });

  it('is not uninstalled from while the Application is deleted: that goes on with the old kubeconfig', async () => {
    const running = harness.startControllers({ identities });
    await replace('kept');
    await running.passes.after(ref('kept'), () => harness.remove('kept'));
    await eventually(async () => {
      const ready = getCondition((await harness.read('kept')).status?.conditions, 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'Deleting' });
      expect(ready?.message).toMatch(/cluster kept was replaced: .* add kept to the annotation .*\/abandon/);
    });
    const child = await childOf('kept');
    expect(child.metadata.deletionTimestamp).toBeUndefined();
    // As its engine does; it must not be gone while it is suspended.
    await harness.finalizers(child, 'finalizers.fluxcd.io');
    await swapKubeconfig(harness.kube, ref('kept'), fileOf(0));
    await untilChild('kept', ({ metadata, spec }) => {
      expect(metadata.deletionTimestamp).toBeDefined();
      expect(spec.suspend).toBeUndefined();
    });
    await harness.finalizers(await childOf('kept'));
    await harness.eventuallyGone('kept');
    await running.stop();
  });
});
