import times from 'lodash/times.js';
import { namespaceResource, secretResource } from '#api/core.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { forEachOf } from './harness.js';

/** How all benches write. */
export const APPLY = { fieldManager: 'bench', force: true } as const;

export async function createNamespaces(kube: Kube, ...names: readonly string[]): Promise<void> {
  await forEachOf(names, (name) =>
    kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  );
}

/** Writes HelmRepository `charts`; without a URL of a server, nobody fetches what it has. */
export async function createCharts(kube: Kube, namespace: string, url = 'https://charts.example.org'): Promise<void> {
  const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };
  const spec = { url, interval: '10m' };
  await kube.create(helmRepositoryResource, { ...source, metadata: { name: 'charts', namespace }, spec });
}

export const memberName = (index: number): string => `member-${index}`;

/** Secrets of members that nobody calls. */
export async function createMembers(kube: Kube, namespace: string, count: number): Promise<void> {
  await forEachOf(times(count, memberName), (name) =>
    kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }),
  );
}

interface ApplicationInput {
  readonly metadata: Application['metadata'];
  readonly chart: { readonly chart: string; readonly version?: string };
  readonly deploy: readonly object[];
  /** More fields of the spec. */
  readonly more?: object;
}

/** An Application with a chart of HelmRepository `charts` in its namespace. */
export function applicationOf({ metadata, chart, deploy, more }: ApplicationInput): Application {
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const spec = { kind: 'fluxcd', ...more, fluxApp: { spec: { source, config: { helmRelease: { chart, deploy } } } } };
  return { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec } as Application;
}

/** Creates an Application as a controller would have it. */
export async function createWithStatus(kube: Kube, application: Application, status: object): Promise<void> {
  const made = await kube.create(applicationResource, application);
  await kube.update(applicationResource, { ...made, status }, { subresource: 'status' });
}

/** A HelmRelease of a chart of HelmRepository `charts`. */
export function releaseOf(metadata: HelmRelease['metadata'], chart: string, more: object = {}): HelmRelease {
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata,
    spec: { interval: '10m', chart: { spec: { chart, version: '1.0.0', sourceRef } }, ...more },
  };
}

/** The same release in another namespace, where no controller sees it. */
export function bareCopy({ apiVersion, kind, spec, metadata }: HelmRelease, namespace: string): HelmRelease {
  const { name, labels = {}, annotations = {} } = metadata;
  return { apiVersion, kind, spec, metadata: { name, namespace, labels, annotations } };
}
