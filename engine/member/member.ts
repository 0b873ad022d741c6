import type { ResourceType } from '#api/meta.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';

/** The content of `.Capabilities` in a chart, from discovery. */
export interface Capabilities {
  /** e.g. `v1.35.4`. */
  readonly kubeVersion: string;
  /** `v1`, `apps/v1`, and `apps/v1/Deployment` forms, sorted: what `helm template --api-versions` takes. */
  readonly apiVersions: readonly string[];
}

export interface ServedOptions extends RequestOptions {
  /** Asks the server, whatever is cached. */
  readonly afresh?: boolean;
}

/** One target cluster, seen with one credential: a plain value, of which copies may differ. The host is a member too. */
export interface Member {
  /**
   * Stable identity for caches and messages: `host`, or `<namespace>/<secret>/<key>`, with ` as <user>` if it
   * impersonates one.
   */
  readonly key: string;
  readonly kube: Kube;
  /**
   * Maps a kind to its URL by cached discovery; an unknown kind is looked up again once, then TerminalError
   * `NoKindMatch`.
   */
  resourceType(apiVersion: string, kind: string, options?: RequestOptions): Promise<ResourceType>;
  /** Like resourceType, but in another version of the group where this one is not served, or no longer. */
  servedType(apiVersion: string, kind: string, options?: ServedOptions): Promise<ResourceType>;
  capabilities(options?: RequestOptions): Promise<Capabilities>;
  /**
   * UID of the namespace kube-system, up to a minute old, which tells the cluster from others. It is read with the
   * member's own credential, even if it impersonates a user; undefined if that may not read it.
   */
  clusterUid(options?: RequestOptions): Promise<string | undefined>;
  /** Announces a kind that the server is about to serve: cached discovery without it is refreshed, for all. */
  expectKind(apiVersion: string, kind: string): void;
}

/** `spec.kubeConfig.secretRef` of a HelmRelease or Kustomization. */
export interface KubeConfigRef {
  readonly secretRef: { readonly name: string; readonly key?: string | undefined };
}

export interface MemberOptions extends RequestOptions {
  /** ServiceAccount of the same namespace to impersonate; absent: none. */
  readonly serviceAccount?: string | undefined;
}

/** Finds members; clients are kept while the kubeconfig's bytes stay the same. */
export interface Members {
  /**
   * `host` must be explicit: a missing reference never means it. `namespace` is where the Secret lives.
   * Errors: TerminalError `KubeConfigSecretNotFound` | `KubeConfigInvalid`, each naming Secret, key and the way out.
   * Does not connect.
   */
  get(ref: KubeConfigRef | 'host', namespace: string, options?: MemberOptions): Promise<Member>;
  close(): Promise<void>;
}
