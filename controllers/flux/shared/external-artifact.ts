import type { Artifact } from '#api/flux/common.js';
import type { KubeObject } from '#api/meta.js';

/**
 * Brings what an ExternalArtifact names into the store, and returns it as it is there. Throws TransientError
 * `ArtifactFailed`.
 */
export type FetchExternal = (source: KubeObject, artifact: Artifact, signal: AbortSignal) => Promise<Artifact>;
