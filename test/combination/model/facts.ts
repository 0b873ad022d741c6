/**
 * The input of the model of users' wishes: a story, as an ordered list of moments. A moment has all objects as users
 * wrote them, the act of a user, and the runs on the members. Nothing in it comes from a decision of the controller.
 *
 * To adapt a world, append one moment after each of its steps. Objects that did not change can be shared between
 * moments. The model folds the story and never changes it.
 */
import type { Application } from '#api/v1alpha1/application.js';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { KustomizationTemplateSpec } from '#api/v1alpha1/kustomization-template.js';
import type { Content } from './content.js';

/** UID of the namespace `kube-system` of a cluster: two clusters with one UID are the same cluster. */
export type ClusterUid = string;

/** `NAMESPACE/NAME` of an Application. A restored Application has a new UID, but the same name. */
export type ApplicationName = string;

/** Index of a moment in the story. A revision is named by a moment at which it was the current one. */
export type MomentIndex = number;

export type TargetKind = 'HelmRelease' | 'Kustomization';

/** Something that can run at one place. For the model, a release that moves is another target. */
export interface Target {
  readonly kind: TargetKind;
  readonly cluster: ClusterUid;
  /** Target namespace; empty for files that are applied to the namespaces which they name. */
  readonly namespace: string;
  /** The release name of a HelmRelease, or the files of a Kustomization as `filesName` of content.ts writes them. */
  readonly name: string;
  /** Storage namespace of a release; empty for a Kustomization. */
  readonly storage: string;
}

/** Labels, annotations, `deletionTimestamp` and finalizers count; the status is not read. */
export type ApplicationObject = Pick<Application, 'metadata' | 'spec'>;

interface TemplateObjectOf<Kind extends string, Spec> {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Namespaces that may use the template, besides its own. */
  readonly sharedWith: readonly string[];
  /** All revisions that users wrote, oldest first; the first one is number 1. A broken one has no revision number. */
  readonly revisions: readonly Spec[];
  /** True if what users wrote last is not a valid template. */
  readonly isBroken: boolean;
}
export type HelmTemplateObject = TemplateObjectOf<'HelmTemplate', HelmTemplateSpec>;
export type KustomizationTemplateObject = TemplateObjectOf<'KustomizationTemplate', KustomizationTemplateSpec>;
export type TemplateObject = HelmTemplateObject | KustomizationTemplateObject;

/** An object that describes a cluster, or a plain Secret with a kubeconfig that entries refer to by `kubeConfig`. */
export interface ClusterObject {
  /** `Secret`, `Cluster` (of KubeSphere) or `Cluster.cluster.x-k8s.io`. */
  readonly kind: string;
  /** Empty for a Cluster of KubeSphere. */
  readonly namespace: string;
  readonly name: string;
  /** A Secret is in the inventory if its label `gitops.kubesphere.io/cluster` is `true`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Only `gitops.kubesphere.io/accept-cluster-uid` is read. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The cluster that the kubeconfig leads to; undefined if the kubeconfig is broken. */
  readonly leadsTo?: ClusterUid;
  /** False if that cluster does not answer. */
  readonly answers: boolean;
  /** False if it is of a kind that holds no credential. */
  readonly hasCredential?: boolean;
  /** True if the object says that its cluster is paused; a Secret cannot say so. */
  readonly paused?: boolean;
  /** True if the object says that its cluster is not ready; a Secret cannot say so. */
  readonly notReady?: boolean;
  /** Namespaces that grants allow to use it, besides its own. */
  readonly grantedTo?: readonly string[];
}

/** A namespace of the host cluster. */
export interface NamespaceObject {
  readonly name: string;
  readonly uid: string;
  readonly isBeingDeleted?: boolean;
}

/** A HelmRelease or Kustomization that a user wrote, without an Application. */
export interface PlainObject {
  readonly kind: TargetKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Secret of `kubeConfig`, in the namespace of the object; undefined: the host cluster. */
  readonly kubeConfig?: string;
  /** Its target. `cluster` is the cluster that its kubeconfig leads to. */
  readonly target: Target;
  readonly isSuspended?: boolean;
  readonly isBeingDeleted?: boolean;
  /** True if `Ready` is `True` for what it says now. */
  readonly isReady?: boolean;
}

/** All objects of the host cluster that users wrote. */
export interface World {
  readonly host: ClusterUid;
  readonly applications: readonly ApplicationObject[];
  readonly templates: readonly TemplateObject[];
  readonly clusters: readonly ClusterObject[];
  /** Kinds of ClusterObject that cannot be read now: their clusters are lost, not gone. */
  readonly unreadKinds: readonly string[];
  readonly namespaces: readonly NamespaceObject[];
  readonly plain: readonly PlainObject[];
  /** The newest commit of all repositories; undefined if there never is another one. */
  readonly head?: string;
  /** True if the API server takes no new ControllerRevision. */
  readonly refusesRevisions?: boolean;
}

/**
 * State of one target on one member. An uninstalled release has none. Report all members, also those that do not
 * answer: `answers` of the cluster says that nobody sees them.
 */
export interface Run {
  readonly target: Target;
  /** The content that runs there, or for `Failed` and `Progressing` the one that was attempted last. */
  readonly content: Content;
  readonly state: 'Ready' | 'Failed' | 'Progressing';
}

/**
 * An act of a user. Objects show most acts, and such a step is an `edit`. The other acts name revisions or children,
 * which objects only show by numbers and hashes of the controller. An annotation with one of these numbers counts from
 * this log alone.
 */
export type Act =
  /** Anything that the objects show: an edit, a pause, a suspension, a label, a deletion. The text is for people. */
  | { readonly do: 'edit'; readonly what: string }
  /** `revision` is undefined for a pin to a revision that is not kept, or for an annotation that is not valid. */
  | {
      readonly do: 'pin';
      readonly application: ApplicationName;
      /** Name of the cluster, as the status has it; undefined: the whole Application. */
      readonly cluster?: string;
      readonly revision: MomentIndex | undefined;
    }
  | { readonly do: 'unpin'; readonly application: ApplicationName; readonly cluster?: string }
  | {
      readonly do: 'approveStage';
      readonly application: ApplicationName;
      readonly stage: string;
      readonly revision: MomentIndex;
      /** True for the text with `@unproven`. */
      readonly unproven?: boolean;
    }
  | { readonly do: 'retry' | 'abort'; readonly application: ApplicationName; readonly revision: MomentIndex }
  /** Approves all removals that wait at this moment, by the value that the status has for exactly these. */
  | { readonly do: 'approveRemovals'; readonly application: ApplicationName }
  /** A user deletes the HelmRelease or Kustomization of an Application. */
  | { readonly do: 'deleteChild'; readonly application: ApplicationName; readonly target: Target }
  /** A user removes the finalizer of an Application by force. */
  | { readonly do: 'removeFinalizer'; readonly application: ApplicationName };

/** One step of the story. */
export interface Moment {
  /** Milliseconds of the clock of the world; only differences count. */
  readonly atMs: number;
  /** Undefined: time passed, or a member or the controller did something. */
  readonly act?: Act;
  /** All objects after the step. */
  readonly world: World;
  /** Everything that runs on any member after the step. */
  readonly runs: readonly Run[];
  /** True if the controllers had nothing more to do after this step. */
  readonly isSettled: boolean;
}

/** Ordered from the beginning. The first moment usually has no Application. */
export type Story = readonly Moment[];
