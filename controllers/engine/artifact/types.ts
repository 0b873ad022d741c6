import type { Artifact } from '#api/flux/common.js';

/** Who an artifact belongs to. */
export interface ArtifactOwner {
  /** Lower case kind, e.g. `gitrepository`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Files of sources on the local disk: written whole or not at all, checked by digest when read. */
export interface ArtifactStore {
  /**
   * Calls `write` with a temporary path, then moves the file in place. The same bytes under the same name are kept as
   * they are.
   */
  put(
    owner: ArtifactOwner,
    fileName: string,
    revision: string,
    write: (path: string) => Promise<void>,
  ): Promise<Artifact>;
  /** Absolute path of a stored artifact whose digest was checked; undefined when it is missing or damaged. */
  locate(artifact: Pick<Artifact, 'path' | 'digest'>): Promise<string | undefined>;
  /** Keeps the files named in `keep` (paths) and the newest record, removes the owner's others. */
  collect(owner: ArtifactOwner, keep: readonly string[]): Promise<void>;
  /** Removes everything of the owner. */
  remove(owner: ArtifactOwner): Promise<void>;
  /** A fresh directory that the caller removes with `dispose`. */
  scratch(prefix: string): Promise<{ path: string; dispose: () => Promise<void> }>;
}
