import type { Condition, KubeObject } from '#api/meta.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import type { TemplateInUse } from '#api/v1alpha1/template.js';
import type { ClusterReference } from './cluster.js';
import type { Layer } from './layers.js';

/** The fields of a HelmRelease or Kustomization that a rule looks at; all others are carried along. */
export interface ChildSpec {
  readonly releaseName?: string;
  readonly targetNamespace?: string;
  readonly storageNamespace?: string;
  readonly suspend?: boolean;
  readonly kubeConfig?: ClusterReference;
  readonly [field: string]: unknown;
}

export interface ChildStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  /** `namespace/name` of the HelmChart. */
  readonly helmChart?: string;
  /** Namespace that holds the releases of `history`. */
  readonly storageNamespace?: string;
  readonly lastAttemptedRevision?: string;
  readonly lastAppliedRevision?: string;
  readonly history?: readonly {
    readonly name?: string;
    readonly chartVersion?: string;
    readonly version?: number;
    readonly status?: string;
  }[];
  readonly [field: string]: unknown;
}

/** One HelmRelease or Kustomization of an Application, as read. */
export interface Child extends KubeObject {
  readonly spec: ChildSpec;
  readonly status?: ChildStatus;
}

/** A value of the user that cannot be acted upon: what is wrong, where, and the way out. */
export interface Violation {
  /** Reason of the condition. */
  readonly reason: ApplicationReason;
  readonly message: string;
}

/** What the checks need to know beside the Application. */
export interface Rules {
  /** May a source be in another namespace than the Application? */
  readonly allowCrossNamespace: boolean;
  /** The only namespace that the caches hold; undefined: they hold all. */
  readonly watchedNamespace?: string | undefined;
}

/**
 * What makes a Helm release one and the same: the cluster, and where and how it is recorded there. What is recorded
 * nowhere has something else in its place: see its backend.
 */
export interface ReleaseKey {
  /** That of its child. */
  readonly kind: string;
  /** Text of the cluster, from `clusterText`. */
  readonly cluster: string;
  readonly storageNamespace: string;
  readonly releaseName: string;
}

/** The fields of an entry that we read, with all layers laid over each other. */
export interface MergedEntry {
  readonly name?: string;
  readonly releaseName?: string;
  readonly storageNamespace?: string;
  /** Present as long as the template does not lie under the entry. */
  readonly template?: string;
  readonly destination?: { readonly kubeConfig?: ClusterReference; readonly targetNamespace?: string };
}

/** One entry of `deploy[]` or `kustomization[]` with all layers laid over each other. */
export interface Entry {
  /** Field path of the entry, for messages. */
  readonly path: string;
  /** Stable identity that the user gave, if any. */
  readonly name: string | undefined;
  /** Key of the destination as shipped; see `destinationKey`. */
  readonly key: string;
  /** Key in the status; see `consoleKey`. */
  readonly consoleKey: string;
  readonly kubeConfig: ClusterReference | undefined;
  /** Undefined: as the files say. */
  readonly targetNamespace: string | undefined;
  readonly release: ReleaseKey;
  /** Name of the child when it is made anew. */
  readonly childName: string;
  /** The fields that go to the child as they are. */
  readonly fields: Layer;
  /** What the entry itself says of the release's name and its storage, unlike the defaults in `release`. */
  readonly stated: { readonly releaseName?: string; readonly storageNamespace?: string };
  readonly hasDestination: boolean;
  /** True while its template cannot be used: what it applies is not known then. */
  readonly lacksTemplate: boolean;
  /** The template that lies under it. */
  readonly template?: TemplateInUse | undefined;
}

/** An entry that is left alone, together with its child, until its violations are mended. */
export interface RejectedEntry {
  readonly entry: Entry;
  readonly violation: Violation;
}

/** A child as it should be. */
export interface DesiredChild {
  readonly entry: Entry;
  readonly object: Child;
  /** The child that the entry has now. */
  readonly live: Child | undefined;
}

/** One thing to do about one child, and why. */
export type Step =
  | { readonly op: 'create'; readonly why: string; readonly entry: Entry; readonly object: Child }
  | { readonly op: 'update'; readonly why: string; readonly entry: Entry; readonly object: Child; readonly live: Child }
  | { readonly op: 'keep'; readonly why: string; readonly entry: Entry; readonly live: Child }
  /** Nothing may be done yet. */
  | { readonly op: 'wait'; readonly why: string; readonly entry: Entry; readonly live: Child | undefined }
  | { readonly op: 'delete'; readonly why: string; readonly live: Child }
  /** Before the delete of a child that must not take its release along. */
  | { readonly op: 'suspend'; readonly why: string; readonly live: Child }
  /** A child without an entry that must not be deleted now. */
  | { readonly op: 'spare'; readonly why: string; readonly live: Child };

/** What came of a step; `error` when it failed. */
export interface Outcome {
  readonly step: Step;
  /** The child after the step, when it is known. */
  readonly child: Child | undefined;
  readonly error?: unknown;
}
