import { deploymentResource, podResource, secretResource } from '#api/core.js';
import type { ResourceType } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { installedCrds } from './crds.js';
import { resourceOf } from './release.js';
import { contentOfOthers, type Content } from './until-deleted.js';

const claimResource: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};

/** What nobody wants to lose with a namespace. */
const VALUED = [secretResource, claimResource, deploymentResource, podResource];

async function listIn(kube: Kube, types: readonly ResourceType[], namespace: string): Promise<Content[]> {
  const lists = types.map(async (type): Promise<Content[]> => {
    const { items } = await listAll(kube, type, { namespace, metadataOnly: true });
    return items.map((object) => ({ kind: type.kind, object }));
  });
  return (await Promise.all(lists)).flat();
}

/** What a namespace contains of our kinds and of Flux's, and what others run or store in it. */
export async function namespaceContent(kube: Kube, namespace: string): Promise<Content[]> {
  const crds = await installedCrds(kube);
  // A CRD that is being deleted takes its objects along in any case.
  const staying = crds.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [
    ...(await listIn(kube, staying.map(resourceOf), namespace)),
    ...contentOfOthers(await listIn(kube, VALUED, namespace)),
  ];
}
