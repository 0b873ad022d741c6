import type { Artifact } from '#api/flux/common.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, SetupContext } from '#runtime/controller.js';
import type { Members } from '../member/member.js';
import type { ManagedWatches } from '../watch/managed-watches.js';
import type { Applying } from './model/types.js';

/**
 * Brings what an ExternalArtifact names into the store, and returns it as it is there. Throws TransientError
 * `ArtifactFailed`.
 */
export type FetchExternal = (source: KubeObject, artifact: Artifact, signal: AbortSignal) => Promise<Artifact>;

export interface ApplyingSettings {
  readonly allowCrossNamespace: boolean;
  /** ServiceAccount to impersonate if the spec names none. */
  readonly defaultServiceAccount?: string | undefined;
  readonly dependencyRequeueMs: number;
}

/** What every reconciliation of an applying kind works with. */
export interface ApplyingDeps extends Pick<SetupContext, 'kube' | 'events' | 'now' | 'offload'> {
  readonly members: Members;
  readonly fetchExternal: FetchExternal;
  /** Absent: drift is noticed at the interval only. */
  readonly managed?: ManagedWatches | undefined;
  readonly settings: ApplyingSettings;
}

/** The objects of one kind, which may depend on each other. */
export type Dependables = Pick<Cache<Applying>, 'get'>;
