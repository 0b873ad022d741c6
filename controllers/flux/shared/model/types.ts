import type { HelmReleaseSpec } from '#api/flux/helm-release.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import type { ProgressStatus } from './progress.js';

/** The fields that Flux's applying kinds have in common. */
export type ApplyingSpec = Pick<
  HelmReleaseSpec & KustomizationSpec,
  'dependsOn' | 'interval' | 'kubeConfig' | 'serviceAccountName' | 'suspend'
>;

/** An object of one of these kinds: what it names is applied to a cluster. */
export interface Applying extends KubeObject {
  readonly spec: ApplyingSpec;
  readonly status?: ProgressStatus & {
    readonly lastHandledReconcileAt?: string;
    readonly lastHandledForceAt?: string;
    readonly lastHandledResetAt?: string;
  };
}
