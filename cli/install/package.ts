import path from 'node:path';
import type { KubeObject } from '../../api/meta.js';
import { COMPONENT_LABEL, EMBEDDED_ENGINE } from '../../api/v1alpha1/labels.js';
import { PACKAGE_ROOT } from '../../controllers/runtime/package-root.js';
import { readManifests } from '../manifests.js';

/** The generated CRDs of this version. */
export function readCrds(): Promise<KubeObject[]> {
  return readManifests(path.join(PACKAGE_ROOT, 'config', 'crd'));
}

/** Namespace, RBAC and Deployment of this version: what config/default contains in addition to the CRDs. */
export async function readController(): Promise<KubeObject[]> {
  const manager = await readManifests(path.join(PACKAGE_ROOT, 'config', 'manager'));
  const rbac = await readManifests(path.join(PACKAGE_ROOT, 'config', 'rbac'));
  const isNamespace = ({ kind }: KubeObject): boolean => kind === 'Namespace';
  const all = [...manager, ...rbac];
  return [...all.filter(isNamespace), ...rbac, ...manager.filter((object) => !isNamespace(object))];
}

/** True for what only the embedded engine needs. */
export function isForEngine({ metadata }: KubeObject): boolean {
  return metadata.labels?.[COMPONENT_LABEL] === EMBEDDED_ENGINE;
}

interface Workload extends KubeObject {
  spec?: { template?: { spec?: { containers?: { image?: string }[] } } };
}

/** The objects with another image in the Deployment's first container; the input stays as it is. */
export function withImage(objects: readonly KubeObject[], image: string | undefined): KubeObject[] {
  return objects.map((object) => {
    if (image === undefined || object.kind !== 'Deployment') return object;
    const copy = structuredClone<Workload>(object);
    const [container] = copy.spec?.template?.spec?.containers ?? [];
    if (container !== undefined) container.image = image;
    return copy;
  });
}

/** The image of the Deployment. */
export function imageOf(objects: readonly KubeObject[]): string {
  // A Deployment by its kind.
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as Workload | undefined;
  return deployment?.spec?.template?.spec?.containers?.[0]?.image ?? '';
}
