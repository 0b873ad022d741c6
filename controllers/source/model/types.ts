import type { Condition, KubeObject } from '#api/meta.js';
import type { Artifact } from '#api/flux/common.js';

export type { Bucket } from '#api/flux/bucket.js';
export type { GitRepository } from '#api/flux/git-repository.js';
export type { HelmChart } from '#api/flux/helm-chart.js';
export type { HelmRepository } from '#api/flux/helm-repository.js';
export type { OCIRepository } from '#api/flux/oci-repository.js';

/** The status fields that all sources share; each kind adds its own. */
export interface SourceStatus {
  observedGeneration?: number;
  conditions?: Condition[];
  lastHandledReconcileAt?: string;
  artifact?: Artifact;
  url?: string;
}

/** The fields that all objects of source.toolkit.fluxcd.io share. */
export interface Source extends KubeObject {
  spec: { interval?: string; timeout?: string; suspend?: boolean };
  status?: SourceStatus;
}
