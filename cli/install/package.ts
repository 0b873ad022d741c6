import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import partition from 'lodash/partition.js';
import type { KubeObject } from '#api/meta.js';
import { COMPONENT_LABEL, EMBEDDED_ENGINE } from '#api/v1alpha1/labels.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

function isObject(document: unknown): document is KubeObject {
  return typeof document === 'object' && document !== null && 'kind' in document && 'metadata' in document;
}

/** The Kubernetes objects of one YAML file. Throws with the file's name when it does not parse. */
async function readManifest(file: string): Promise<KubeObject[]> {
  const text = await readFile(file, 'utf8');
  try {
    return loadAll(text).filter(isObject);
  } catch (cause: unknown) {
    throw new Error(`${file} is not valid YAML`, { cause });
  }
}

/**
 * The objects of every YAML file in a folder, by file name; kustomization.yaml holds none. Empty without the folder.
 */
export async function readManifests(folder: string): Promise<KubeObject[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').sort();
  return (await Promise.all(files.map((name) => readManifest(path.join(folder, name))))).flat();
}

/** The generated CRDs of this version. */
export function readCrds(): Promise<KubeObject[]> {
  return readManifests(path.join(PACKAGE_ROOT, 'config', 'crd'));
}

/** Their names. */
export async function crdNames(): Promise<string[]> {
  return (await readCrds()).map(({ metadata }) => metadata.name);
}

/**
 * Namespace, RBAC, NetworkPolicy and Deployment of this version: what config/default contains in addition to the CRDs.
 * The Deployment is the last one: its pods start under rights and policies that are there.
 */
export async function readController(): Promise<KubeObject[]> {
  const manager = await readManifests(path.join(PACKAGE_ROOT, 'config', 'manager'));
  const rbac = await readManifests(path.join(PACKAGE_ROOT, 'config', 'rbac'));
  const isNamespace = ({ kind }: KubeObject): boolean => kind === 'Namespace';
  const [namespaces, others] = partition(manager, isNamespace);
  const [deployments, policies] = partition(others, ({ kind }) => kind === 'Deployment');
  return [...namespaces, ...rbac, ...policies, ...deployments];
}

/** True for what only the embedded engine needs. */
export function isForEngine({ metadata }: KubeObject): boolean {
  return metadata.labels?.[COMPONENT_LABEL] === EMBEDDED_ENGINE;
}

/** True for what is there before anybody has any right: it records the profile. */
export function isBeforeRights({ kind }: KubeObject): boolean {
  return kind === 'Namespace' || kind === 'ServiceAccount';
}
