import type { Condition, ObjectMeta } from '../../../../api/meta.js';
import type { ActionSpec, RemediationSpec } from './remediation.js';
import type { ReleaseStatusFields } from './status.js';
import type { ValuesReference } from './values.js';

export interface ActionFields extends ActionSpec {
  readonly timeout?: string;
  readonly disableHooks?: boolean;
  readonly disableWait?: boolean;
  readonly disableWaitForJobs?: boolean;
  readonly disableSchemaValidation?: boolean;
  readonly force?: boolean;
  readonly crds?: 'Skip' | 'Create' | 'CreateReplace';
  readonly remediation?: RemediationSpec;
}

export interface HelmReleaseSpec {
  readonly chart?: {
    readonly metadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
    readonly spec: {
      readonly chart: string;
      readonly version?: string;
      readonly sourceRef: { readonly kind: string; readonly name: string; readonly namespace?: string };
      readonly interval?: string;
      readonly reconcileStrategy?: string;
      readonly valuesFiles?: readonly string[];
      readonly ignoreMissingValuesFiles?: boolean;
      readonly verify?: unknown;
    };
  };
  readonly chartRef?: { readonly kind: string; readonly name: string; readonly namespace?: string };
  readonly interval: string;
  readonly timeout?: string;
  readonly suspend?: boolean;
  readonly releaseName?: string;
  readonly targetNamespace?: string;
  readonly storageNamespace?: string;
  readonly dependsOn?: readonly { readonly name: string; readonly namespace?: string; readonly readyExpr?: string }[];
  readonly maxHistory?: number;
  readonly serviceAccountName?: string;
  readonly kubeConfig?: {
    readonly secretRef?: { readonly name: string; readonly key?: string };
    readonly configMapRef?: { readonly name: string };
  };
  readonly driftDetection?: { readonly mode?: string };
  readonly postRenderers?: readonly unknown[];
  readonly healthCheckExprs?: readonly unknown[];
  readonly commonMetadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly install?: ActionFields & {
    readonly createNamespace?: boolean;
    readonly skipCRDs?: boolean;
    readonly serverSideApply?: boolean;
  };
  readonly upgrade?: ActionFields & {
    readonly preserveValues?: boolean;
    readonly serverSideApply?: string;
    readonly chartNameChangeStrategy?: string;
  };
  readonly rollback?: ActionFields & { readonly serverSideApply?: string };
  readonly uninstall?: {
    readonly timeout?: string;
    readonly disableHooks?: boolean;
    readonly keepHistory?: boolean;
    readonly disableWait?: boolean;
    readonly deletionPropagation?: string;
  };
  readonly test?: {
    readonly enable?: boolean;
    readonly timeout?: string;
    readonly ignoreFailures?: boolean;
    readonly filters?: readonly { readonly name: string; readonly exclude?: boolean }[];
  };
  readonly valuesFrom?: readonly ValuesReference[];
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface HelmRelease {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: HelmReleaseSpec;
  status?: ReleaseStatusFields;
}

export interface HelmChart {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: {
    chart: string;
    version?: string;
    sourceRef: { kind: string; name: string };
    interval: string;
    reconcileStrategy?: string;
    valuesFiles?: readonly string[];
    ignoreMissingValuesFiles?: boolean;
    verify?: unknown;
  };
  status?: {
    observedGeneration?: number;
    conditions?: Condition[];
    artifact?: { path: string; digest: string; revision: string };
  };
}
