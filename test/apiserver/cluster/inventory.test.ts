import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CLUSTER_API_RESOURCES, CLUSTER_PROFILE_RESOURCES, kubesphereClusterResource } from '#api/cluster/kinds.js';
import { crdResource, secretResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { existenceOf } from '#controllers/cluster/existence.js';
import { clusterCaches, clusterWatches, type Inventory, inventoryOf } from '#controllers/cluster/inventory.js';
import { type Cluster, type ClusterId, clusterIdText } from '#controllers/cluster/model/cluster.js';
import { referenceReader } from '#controllers/cluster/references.js';
import type { Controller, SetupContext } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { controlPlaneResource, installClusterCrds, removeClusterCrds } from '../../support/cluster-crds.js';
import { useHost } from '../../support/fixture.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually, freshNamespace } from '../../support/world.js';

const [CAPI_NEW, CAPI_OLD] = CLUSTER_API_RESOURCES as [ResourceType, ResourceType];
const PROFILE = CLUSTER_PROFILE_RESOURCES.find(({ version }) => version === 'v1alpha1')!;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SECRET_TEXT = 'bm90LWEtcmVhbC1rdWJlY29uZmln';

function raise(message: string): never {
  throw new Error(message);
}

function objectOf(type: ResourceType, metadata: KubeObject['metadata'], fields: object = {}): KubeObject {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  return { apiVersion, kind: type.kind, metadata, ...fields };
}

/** An inventory that is kept by a manager of its own, and the changes that its watches reported. */
class Kept {
  inventory!: Inventory;
  readonly seen: string[] = [];
  readonly #running: RunningControllers;

  constructor(kube: Kube, namespace?: string) {
    this.#running = runControllers({ kube, namespace }, [(context) => this.#controller(context, namespace)]);
  }

  #controller(context: SetupContext, namespace: string | undefined): Controller {
    const caches = clusterCaches(context, namespace);
    this.inventory = inventoryOf(caches);
    const toKeys = (before: Cluster | undefined, after: Cluster | undefined): string[] => {
      const { name } = (after ?? before)!.id;
      this.seen.push(`${name}: ${before?.labels['env']} -> ${after?.labels['env']}`);
      return [];
    };
    return {
      name: 'follow',
      concurrency: 1,
      watches: clusterWatches(caches, toKeys),
      reconcile: () => Promise.resolve({}),
    };
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }
}

describe('the inventory', () => {
  // Before the client is closed.
  afterAll(async () => {
    await kept.stop();
    await removeClusterCrds(kube);
  });

  const kube = useHost();
  let namespace: string;
  let other: string;
  let kept: Kept;
  /** Of this test: other files may have left clusters. */
  const own = (): Cluster[] =>
    kept.inventory.clusters().filter(({ id }) => id.namespace === namespace || id.name === namespace);
  const idOf = (type: ResourceType, name: string): ClusterId => ({
    apiGroup: type.group,
    // The kinds of this test.
    kind: type.kind as ClusterId['kind'],
    namespace: type.namespaced ? namespace : undefined,
    name,
  });
  const create = (type: ResourceType, name: string, fields: object = {}, labels = {}): Promise<KubeObject> => {
    const scope = type.namespaced ? { namespace } : {};
    return kube.create(type, objectOf(type, { ...scope, name, labels: { env: 'prod', ...labels } }, fields));
  };
  const relabel = (name: string, env: string): Promise<KubeObject> =>
    kube.patch(CAPI_NEW, { namespace, name }, { type: 'merge', body: { metadata: { labels: { env } } } });

  beforeAll(async () => {
    await installClusterCrds(kube);
    namespace = await freshNamespace(kube, 'inventory');
    other = await freshNamespace(kube, 'inventory');
    const annotations = { [LAST_APPLIED]: SECRET_TEXT };
    const labelled = { namespace, name: 'plain', annotations, labels: { env: 'prod', [CLUSTER_LABEL]: 'true' } };
    await kube.create(secretResource, objectOf(secretResource, labelled, { data: { value: SECRET_TEXT } }));
    const argo = { name: Buffer.from('Argo').toString('base64'), config: SECRET_TEXT };
    await create(secretResource, 'argo', { data: argo }, { 'argocd.argoproj.io/secret-type': 'cluster' });
    await create(secretResource, 'no-cluster', { data: { value: SECRET_TEXT } });
    await create(CAPI_OLD, 'capi', { spec: { paused: true, topology: { version: 'v1.33.0' } } });
    await create(PROFILE, 'profile', { spec: { displayName: 'P', clusterManager: { name: 'ocm' } } });
    await create(kubesphereClusterResource, namespace, { spec: { connection: { kubeconfig: SECRET_TEXT } } });
    await kube.create(CAPI_NEW, objectOf(CAPI_NEW, { namespace: other, name: 'elsewhere' }));
    kept = new Kept(kube);
  });

  test('has the clusters of all kinds, each once, and no credential of any', async () => {
    await eventually(() => expect(kept.inventory.lost).toEqual([]));
    await eventually(() =>
      expect(
        own()
          .map(({ id }) => `${id.kind} ${id.name}`)
          .sort(),
      ).toEqual(
        ['Cluster capi', `Cluster ${namespace}`, 'ClusterProfile profile', 'Secret argo', 'Secret plain'].sort(),
      ),
    );
    expect(own().every(({ labels }) => labels['env'] === 'prod')).toBe(true);
    expect(JSON.stringify(own())).not.toContain(SECRET_TEXT);
    expect(kept.inventory.get(idOf(CAPI_NEW, 'capi'))).toMatchObject({
      kubernetesVersion: 'v1.33.0',
      isPaused: true,
      facts: { cluster: { apiVersion: 'cluster.x-k8s.io/v1beta2' } },
    });
  });

  test('follows the labels of a cluster, once per change whichever versions are served', async () => {
    await create(CAPI_NEW, 'followed');
    await relabel('followed', 'test');
    await kube.delete(CAPI_NEW, { namespace, name: 'followed' });
    await eventually(() =>
      expect(kept.seen.filter((change) => change.startsWith('followed'))).toEqual([
        'followed: undefined -> prod',
        'followed: prod -> test',
        'followed: test -> undefined',
      ]),
    );
    await eventually(() => expect(kept.inventory.get(idOf(CAPI_NEW, 'followed'))).toBeUndefined());
    expect(kept.inventory.whyUnknown(idOf(CAPI_NEW, 'followed'))).toBeUndefined();
    expect(await existenceOf(kube, idOf(CAPI_NEW, 'followed'))).toBe('gone');
    expect(await existenceOf(kube, idOf(CAPI_NEW, 'capi'))).toBe('exists');
  });

  test('has a Secret no longer that loses its label', async () => {
    const body = { metadata: { labels: { [CLUSTER_LABEL]: null } } };
    await kube.patch(secretResource, { namespace, name: 'plain' }, { type: 'merge', body });
    await eventually(() => expect(kept.inventory.get(idOf(secretResource, 'plain'))).toBeUndefined());
    expect(await existenceOf(kube, idOf(secretResource, 'plain'))).toBe('gone');
  });

  test('reads what a Cluster refers to, of any kind that is served and in any version of it', async () => {
    await create(controlPlaneResource, 'plane', { spec: { version: 'v1.33.2' } });
    const controlPlaneRef = { apiGroup: controlPlaneResource.group, kind: controlPlaneResource.kind, name: 'plane' };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Nothing', name: 'none' };
    await create(CAPI_NEW, 'referring', { spec: { controlPlaneRef, infrastructureRef } });
    const cluster = await eventually(() => kept.inventory.get(idOf(CAPI_NEW, 'referring')) ?? raise('not seen yet'));
    const read = await referenceReader(kube)(cluster);
    expect(read).toEqual({ controlPlane: expect.objectContaining({ spec: { version: 'v1.33.2' } }) as unknown });
    expect(read.controlPlane?.metadata).not.toHaveProperty('managedFields');
  });

  test('of a controller that is limited to a namespace has nothing else, and knows that there may be more', async () => {
    const limited = new Kept(kube, other);
    try {
      await eventually(() => expect(limited.inventory.clusters().map(({ id }) => id.name)).toEqual(['elsewhere']));
      await eventually(() => expect(limited.inventory.lost).toEqual([]));
      const why = `this controller reads no other namespace than ${other}`;
      expect(limited.inventory.whyUnknown(idOf(CAPI_NEW, 'capi'))).toBe(why);
      expect(limited.inventory.whyUnknown(idOf(kubesphereClusterResource, namespace))).toBe(why);
    } finally {
      await limited.stop();
    }
  });

  test('that may not list a kind has the others, and says what it lacks', async () => {
    const stranger = kube.actingAs(`system:serviceaccount:${namespace}:stranger`);
    const limited = new Kept(stranger, namespace);
    try {
      await eventually(() => expect(limited.inventory.lost).toHaveLength(4));
      expect(limited.inventory.lost[0]).toBe(
        'the clusters of Cluster API cannot be read: clusters.cluster.x-k8s.io could not be listed yet',
      );
      expect(limited.inventory.clusters()).toEqual([]);
    } finally {
      await limited.stop();
    }
  });

  describe('of a kind whose CRD goes away', () => {
    const lost = /the clusters of ClusterProfiles are unknown: the API server does not serve clusterprofiles/;
    let knownSince: string;

    beforeAll(async () => {
      const crd = await kube.get(crdResource, { name: 'clusterprofiles.multicluster.x-k8s.io' });
      knownSince = crd!.metadata.creationTimestamp!;
      await removeClusterCrds(kube, ['clusterprofiles']);
    });

    test('is lost, and keeps the others', async () => {
      await eventually(() => expect(kept.inventory.lost).toEqual([expect.stringMatching(lost)]), { timeoutMs: 60_000 });
      expect(kept.inventory.whyUnknown(idOf(PROFILE, 'profile'))).toMatch(lost);
      expect(kept.inventory.get(idOf(CAPI_NEW, 'capi'))).toBeDefined();
      const known = await existenceOf(kube, idOf(PROFILE, 'profile'), { knownSince });
      expect(known).toEqual({ unknown: expect.stringContaining('has no CustomResourceDefinition') as unknown });
    });

    test('is whole again with the CRD, but without it the cluster is unknown, not gone', async () => {
      // Times of Kubernetes have seconds.
      await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(knownSince) + 2_000));
      await installClusterCrds(kube, ['clusterprofiles']);
      await create(PROFILE, 'profile-again');
      const again = clusterIdText(idOf(PROFILE, 'profile-again'));
      await eventually(() => expect(own().map(({ id }) => clusterIdText(id))).toContain(again), { timeoutMs: 90_000 });
      expect(kept.inventory.lost).toEqual([]);
      const known = await existenceOf(kube, idOf(PROFILE, 'profile'), { knownSince });
      expect(known).toEqual({ unknown: expect.stringContaining('was created again') as unknown });
    });
  });
});
