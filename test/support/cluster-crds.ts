import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { kubesphereClusterResource } from '#api/cluster/kinds.js';
import { crdResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { untilEstablished } from '#cli/install/crds.js';
import type { Kube } from '#runtime/client/kube.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { eventually } from './world.js';

const CRDS = path.join(import.meta.dirname, 'crds');

/** The kinds of other projects that describe clusters or belong to them, by file. */
const CLUSTER_CRDS = ['kubesphere-clusters', 'cluster-api-clusters', 'clusterprofiles', 'control-planes'] as const;

/** What `control-planes` has. */
export const controlPlaneResource: ResourceType = {
  ...{ group: 'controlplane.cluster.x-k8s.io', version: 'v1alpha7', kind: 'TestControlPlane' },
  ...{ plural: 'testcontrolplanes', namespaced: true },
};

type CrdFile = (typeof CLUSTER_CRDS)[number];

async function crdIn(file: CrdFile): Promise<KubeObject> {
  // A file of ours.
  return parseYaml(await readFile(path.join(CRDS, `${file}.yaml`), 'utf8')) as KubeObject;
}

/** Installs CRDs of other projects; resolves when they are served. */
export async function installClusterCrds(kube: Kube, files: readonly CrdFile[] = CLUSTER_CRDS): Promise<void> {
  for (const file of files) {
    const crd = await crdIn(file);
    await kube.apply(crdResource, crd, { fieldManager: 'test', force: true });
    await untilEstablished(kube, crd.metadata.name);
  }
}

/** Deletes them, and waits until all their objects are gone, too. */
export async function removeClusterCrds(kube: Kube, files: readonly CrdFile[] = CLUSTER_CRDS): Promise<void> {
  for (const file of files) {
    const { metadata } = await crdIn(file);
    await kube.delete(crdResource, metadata);
    await eventually(async () => {
      if ((await kube.get(crdResource, metadata)) !== undefined) throw new Error(`${metadata.name} is still there`);
    });
  }
}

/** A Cluster of KubeSphere with these labels, without a credential. */
export function putKubesphereCluster(kube: Kube, name: string, labels: Record<string, string>): Promise<KubeObject> {
  const { group, version, kind } = kubesphereClusterResource;
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name, labels }, spec: {} };
  return kube.apply<KubeObject>(kubesphereClusterResource, object, { fieldManager: 'u', force: true });
}
