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
   * Calls `write` with a temporary path, then gives the whole file its name. The same bytes under the same name are kept
   * as they are, and the same bytes of several owners take their place on the disk once. Errors: those of `write`;
   * TransientError `StorageOperationFailed` when the disk or the quota has no room.
   */
  put(
    owner: ArtifactOwner,
    fileName: string,
    revision: string,
    write: (path: string) => Promise<void>,
  ): Promise<Artifact>;
  /** Absolute path of a stored artifact whose digest was checked; undefined when it is missing or damaged. */
  locate(artifact: Pick<Artifact, 'path' | 'digest'>): Promise<string | undefined>;
  /** Where the file at this path is served. */
  urlOf(path: string): string;
  /**
   * Removes the owner's files that are not named in `keep` (paths), a minute after another one replaced them: a consumer that
   * read the status before still finds what it named.
   */
  collect(owner: ArtifactOwner, keep: readonly string[]): Promise<void>;
  /** Everybody who has something here. */
  owners(): Promise<ArtifactOwner[]>;
  /** Removes everything of the owner. */
  remove(owner: ArtifactOwner): Promise<void>;
  /** A fresh directory that the caller removes with `dispose`. Throws TransientError `StorageOperationFailed`. */
  scratch(prefix: string): Promise<{ path: string; dispose: () => Promise<void> }>;
}
