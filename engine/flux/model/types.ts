import type { DryRun } from '#api/dry-run.js';
import type { HelmReleaseSpec } from '#api/flux/helm-release.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import type { ProgressStatus } from './progress.js';

/** The fields that Flux's applying kinds have in common. */
export type ApplyingSpec = Pick<
  HelmReleaseSpec & KustomizationSpec,
  'dependsOn' | 'interval' | 'kubeConfig' | 'serviceAccountName' | 'suspend'
>;

/** An object of a kind that applies objects to a cluster. */
export interface Applying extends KubeObject {
  readonly spec: ApplyingSpec;
  readonly status?: ProgressStatus & {
    readonly lastHandledReconcileAt?: string;
    readonly lastHandledForceAt?: string;
    readonly lastHandledResetAt?: string;
    readonly dryRun?: DryRun;
  };
}

/** An event to record on an object. */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What a correction of drift changed, and what it could not. */
export interface Correction {
  /** One line for each object, as messages show it. */
  readonly done: readonly string[];
  /** Undefined when everything was corrected. */
  readonly problem: string | undefined;
}
