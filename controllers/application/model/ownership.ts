import type { KubeObject, OwnerReference } from '../../../api/meta.js';
import { applicationResource } from '../../../api/v1alpha1/application.js';
import { APPLICATION_UID_LABEL } from '../../../api/v1alpha1/labels.js';
import { clusterText, releaseKeyText, type ReleaseKey } from './identity.js';
import { defaultReleaseName } from './names.js';
import type { Child } from './types.js';

const KIND = applicationResource.kind;
const GROUP_PREFIX = `${applicationResource.group}/`;

/** The owner references of an object that name an Application. */
export function applicationOwners(object: KubeObject): OwnerReference[] {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.filter((owner) => owner.kind === KIND && owner.apiVersion.startsWith(GROUP_PREFIX));
}

/** True when `child` is this very Application's: it may be deleted when no entry wants it. */
export function isOwned(child: KubeObject, application: KubeObject): boolean {
  return applicationOwners(child).some((owner) => owner.uid === application.metadata.uid);
}

/**
 * True when an entry may take `child` over: it belonged to an Application of this name that was restored with a new UID,
 * or was orphaned by one. Such a child is never deleted for want of an entry.
 */
export function isAdoptable(child: KubeObject, application: KubeObject): boolean {
  const owners = child.metadata.ownerReferences ?? [];
  if (owners.length === 0) return child.metadata.labels?.[APPLICATION_UID_LABEL] !== undefined;
  return applicationOwners(child).some((owner) => owner.name === application.metadata.name);
}

/** ks-devops let the server make up names; server-side apply never does. */
export function isLegacy(child: Child): boolean {
  const metadata: KubeObject['metadata'] & { generateName?: string } = child.metadata;
  return metadata.generateName !== undefined;
}

/** The release that a child is about, with Flux's defaults for what it leaves out. */
export function liveReleaseKey({ metadata, spec }: Child): ReleaseKey {
  const ownName = spec.targetNamespace === undefined ? metadata.name : `${spec.targetNamespace}-${metadata.name}`;
  return {
    cluster: clusterText(spec.kubeConfig),
    storageNamespace: spec.storageNamespace ?? metadata.namespace ?? 'default',
    releaseName: spec.releaseName ?? defaultReleaseName(ownName),
  };
}

/** Index value of a child: its namespace and release key. */
export function releaseIndexValue(namespace: string, key: ReleaseKey): string {
  return `${namespace}/${releaseKeyText(key)}`;
}
