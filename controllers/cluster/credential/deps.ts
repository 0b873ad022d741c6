import type { ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, PassContext } from '#runtime/controller.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import type { Fence } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ClusterIndex } from './cluster-index.js';
import type { Failures } from './failures.js';
import type { MemberTurns } from './member-turns.js';

/** A HelmRelease or Kustomization, as far as it is read here. */
export interface Referring extends KubeObject {
  readonly spec?: { readonly kubeConfig?: { readonly secretRef?: { readonly name?: unknown } } };
}

/** Dependencies of every reconciliation of a credential or a grant. */
export interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly clusters: ClusterIndex;
  readonly grants: Cache<ClusterGrant>;
  /** HelmReleases and Kustomizations. */
  readonly referring: readonly Cache<Referring>[];
  /** Those of them that had objects: one whose type is not served any more has lost them, or the server is starting. */
  readonly hadObjects: ReadonlySet<Cache<Referring>>;
  /** Metadata only. */
  readonly secrets: Cache<KubeObject>;
  /** Metadata only. */
  readonly namespaces: Cache<KubeObject>;
  readonly failures: Failures;
  readonly turns: MemberTurns;
  /** Where a selector takes clusters from if its grant lists no namespaces. */
  readonly controllerNamespace: string;
  readonly allowInsecure: boolean;
  /** Called before every request for a token; the host's client has its own. */
  readonly fence: Fence | undefined;
}

/** The dependencies, and the context of one reconciliation. */
export interface Pass extends Deps, PassContext {}
