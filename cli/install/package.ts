import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import { COMPONENT_LABEL, EMBEDDED_ENGINE } from '#api/v1alpha1/labels.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
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

/** True for what is there before anybody has any right: it records the profile. */
export function isBeforeRights({ kind }: KubeObject): boolean {
  return kind === 'Namespace' || kind === 'ServiceAccount';
}
