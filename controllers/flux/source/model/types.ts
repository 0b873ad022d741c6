import type { Condition, KubeObject } from '#api/meta.js';
import type { Artifact } from '#api/flux/common.js';

export type { GitRepository } from '#api/flux/git-repository.js';
export type { HelmChart } from '#api/flux/helm-chart.js';
export type { HelmRepository } from '#api/flux/helm-repository.js';
export type { OCIRepository } from '#api/flux/oci-repository.js';

/** What the rules of a pass read and write of any source; each kind adds fields of its own. */
export interface SourceStatus {
  observedGeneration?: number;
  conditions?: Condition[];
  lastHandledReconcileAt?: string;
  artifact?: Artifact;
  url?: string;
}

/** Any object of source.toolkit.fluxcd.io, as far as all kinds are alike. */
export interface Source extends KubeObject {
  spec: { interval?: string; timeout?: string; suspend?: boolean };
  status?: SourceStatus;
}
