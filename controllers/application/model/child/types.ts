import type { Condition, KubeObject } from '#api/meta.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import type { ClusterSelector, ClusterReference as ClusterRef } from '#api/v1alpha1/destination.js';
import type { PendingReason } from '#api/v1alpha1/pending.js';
import type { TemplateInUse } from '#api/v1alpha1/template.js';
import type { NamespaceMetadata } from '#lib/kube/namespace-metadata.js';
import type { Violation as ReasonedViolation } from '#lib/errors.js';
import type { Cluster } from '../../../cluster/model/cluster.js';
import type { Layer, NamedLayer } from './layers.js';

/** The kubeconfig reference of a destination. */
export interface ClusterReference {
  readonly secretRef?: { readonly name: string; readonly key?: string } | undefined;
  readonly configMapRef?: { readonly name: string } | undefined;
  /** Stands for a cluster that cannot be used: different from every other one. */
  readonly unresolved?: string | undefined;
}

/** The texts by which people know a cluster. */
export interface ClusterNames {
  /** `NAME`, or `NAMESPACE/NAME` outside of the namespace of the Application; two clusters may have it. */
  readonly short: string;
  /** `KIND/NAMESPACE/NAME`, or `KIND/NAME` for a cluster-scoped kind: of one cluster only. */
  readonly full: string;
  /** Equal for two ways to reach one cluster; undefined: it is not known which cluster it is. */
  readonly key: string | undefined;
}

/** The fields of a HelmRelease or Kustomization that rules read; all others are passed on. */
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
    /** The namespace in which it was installed. */
    readonly namespace?: string;
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

/** An invalid value of the user. */
export type Violation = ReasonedViolation<ApplicationReason>;

/** What the checks need besides the Application. */
export interface Rules {
  /** Whether a source may be in another namespace than the Application. */
  readonly allowCrossNamespace: boolean;
  /** The only namespace that the caches hold; undefined: they hold all. */
  readonly watchedNamespace?: string | undefined;
  /** Flux reconciles the children, and does not know what only our own engine does. Default: false. */
  readonly isEngineExternal?: boolean | undefined;
}

/**
 * Identifies a Helm release: its cluster, and the name and namespace of its record there. For backends without such a
 * record, see the backend.
 */
export interface ReleaseKey {
  /** Kind of its child. */
  readonly kind: string;
  /** Text of the cluster, from `clusterText`. */
  readonly cluster: string;
  readonly storageNamespace: string;
  readonly releaseName: string;
}

/** `Once`: installed once, and left unchanged from then on. */
export type Mode = 'Once' | 'Continuous';

/** Why nothing is installed for an entry yet. */
export type Gate = { readonly waits: string } | { readonly violation: Violation };

/** The fields of an entry that we read, with all layers merged. */
export interface MergedEntry {
  readonly name?: string;
  readonly releaseName?: string;
  readonly storageNamespace?: string;
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  readonly namespaceAnnotations?: Readonly<Record<string, string>>;
  readonly mode?: Mode;
  readonly ready?: string;
  /** Present until the template is merged. */
  readonly template?: string;
  readonly destination?: {
    readonly kubeConfig?: ClusterReference | undefined;
    readonly clusterRef?: ClusterRef;
    readonly clusterSelector?: ClusterSelector;
    readonly targetNamespace?: string;
  };
}

/** An entry of the spec with its layers merged, before it is known which clusters it is for. */
export interface Draft {
  /** Kind of its children. */
  readonly kind: string;
  /** Field path in the spec. */
  readonly specPath: string;
  /** Unique; with the cluster after the expansion, if the inventory provides it. */
  readonly path: string;
  readonly layer: Layer & MergedEntry;
  /** With a selector: what it releases, whatever clusters it matches; see `selectionText` of backends. */
  readonly selection?: string | undefined;
  /** The entry by the spec alone; undefined once it is for another cluster than the spec says. */
  readonly entry?: Entry | undefined;
}

/**
 * The layers of one entry on the clusters with the same overrides, the same object for all of them. What
 * `valuesTemplate` renders to is between the entry and its overrides.
 */
export interface ValuesLayers {
  /** The entry without its overrides and its destination, over its template. */
  readonly entry: Layer;
  readonly valuesTemplate: string | undefined;
  /** Those for the clusters, in their order. */
  readonly overrides: readonly NamedLayer[];
  /** The entry with its overrides over it. */
  readonly merged: Layer;
}

/** A draft for one cluster; its `kubeConfig` is the one of that cluster. */
export interface ExpandedDraft extends Draft {
  /** The cluster, if the inventory provides it. */
  readonly cluster?: Cluster;
  /** Its name for people: the full one if another cluster of the Application has the short one, too. */
  readonly clusterName?: string;
  /** The names by which users may write it; default: those of its kubeconfig. */
  readonly names?: ClusterNames;
  /** Namespaces of the cluster that may be used. Default: any. */
  readonly allowedNamespaces?: 'any' | readonly string[];
  /** What its values are made from; only on a cluster of the inventory. */
  readonly values?: ValuesLayers;
  /** See `Entry`. Default: false. */
  readonly mayBeOnce?: boolean;
}

/** One destination: an entry of `deploy[]` or `kustomization[]` with all layers merged, for one cluster. */
export interface Entry {
  /** Field path of the entry, for messages; unique. */
  readonly path: string;
  /** Its field path in the spec: the same for all clusters of a selector. */
  readonly specPath: string;
  /** The cluster, if the inventory provides it. */
  readonly cluster: Cluster | undefined;
  /** Name of the cluster for people: no other cluster of the Application has it. */
  readonly clusterName: string;
  /** All names by which users may write it. */
  readonly names: ClusterNames;
  /** Namespaces of the cluster that may be used. */
  readonly allowedNamespaces: 'any' | readonly string[];
  /** See `Draft`. */
  readonly selection: string | undefined;
  /** Stable identity that the user gave, if any. */
  readonly name: string | undefined;
  /** Key of the destination as shipped; see `destinationKey`. */
  readonly key: string;
  /** Key in the status; see `consoleKey`. */
  readonly consoleKey: string;
  readonly kubeConfig: ClusterReference | undefined;
  /** Undefined: as specified in the files. */
  readonly targetNamespace: string | undefined;
  readonly release: ReleaseKey;
  /** Name of the child if it is created now. */
  readonly childName: string;
  /** What its values are made from; undefined: they are in `fields` as they are. */
  readonly values: ValuesLayers | undefined;
  /** For its target namespace. */
  readonly namespaceMetadata: NamespaceMetadata;
  /** The fields that are copied to the child. */
  readonly fields: Layer;
  /** Name and storage of the release as the entry states them, without the defaults in `release`. */
  readonly stated: { readonly releaseName?: string; readonly storageNamespace?: string };
  readonly mode: Mode;
  /** Its mode is Once on other clusters, by an override; nothing says that it is not on this one. */
  readonly mayBeOnce: boolean;
  /** A CEL expression over the cluster: nothing is installed until it is true. */
  readonly ready: string | undefined;
  /** What `ready` says, once it was evaluated; undefined: it is true, or there is none. */
  readonly gate?: Gate | undefined;
  readonly hasDestination: boolean;
  /** True while its template cannot be used: what it applies is unknown then. */
  readonly lacksTemplate: boolean;
  /** The template that was merged into it. */
  readonly template?: TemplateInUse | undefined;
}

/** An entry with a violation. Its child is left unchanged until the violation is fixed. */
export interface RejectedEntry {
  readonly entry: Entry;
  /** The child that the entry has now. */
  readonly live: Child | undefined;
  readonly violation: Violation;
}

/** The cause of a wait, and its reason for people. */
export interface Hold {
  readonly reason: PendingReason;
  readonly why: string;
}

/** The desired state of a child. */
export interface DesiredChild {
  readonly entry: Entry;
  readonly object: Child;
  /** The child that the entry has now. */
  readonly live: Child | undefined;
  /** Why nothing is created or changed. */
  readonly held?: string;
  /** Why it is kept at its earlier revision for now, which `object` is. */
  readonly waits?: string;
  /** What it is to become, once nothing keeps it at its earlier revision. */
  readonly later?: Child;
  /** The pin or rollout that it waits for until it is as the spec wants it. */
  readonly behind?: Hold | undefined;
  /** On a paused cluster, the digest that `object` would have if it were held in place of owned, or the other way round. */
  readonly digestOfOtherTie?: string;
}
