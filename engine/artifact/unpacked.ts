import type { Artifact } from '#api/flux/common.js';
import { unpack } from './archive.js';
import { LostArtifactError } from './lost-artifact.js';
import type { ArtifactStore } from './types.js';

/** Unpacked artifacts: one folder for all that read the same one. */
export interface UnpackedArtifacts {
  /**
   * Calls `read` with the folder of an artifact, which nobody may write to. Throws LostArtifactError where the store has
   * lost the artifact, TerminalError `ArchiveInvalid` | `ArchiveTooLarge`, and what `read` throws.
   */
  use<T>(artifact: Artifact, read: (folder: string) => Promise<T>): Promise<T>;
}

interface Folder {
  readonly path: string;
  readonly bytes: number;
  readonly dispose: () => Promise<void>;
}

interface Shared {
  readonly unpacking: Promise<Folder>;
  readers: number;
}

/** Of folders that nobody reads. */
const BYTES_KEPT = 256 * 1024 * 1024;

class SharedFolders implements UnpackedArtifacts {
  readonly #store: ArtifactStore;
  readonly #bytesKept: number;
  /** By digest; the one that was used last is the last. */
  readonly #folders = new Map<string, Shared>();

  constructor(store: ArtifactStore, bytesKept: number) {
    this.#store = store;
    this.#bytesKept = bytesKept;
  }

  async use<T>(artifact: Artifact, read: (folder: string) => Promise<T>): Promise<T> {
    const shared = this.#folders.get(artifact.digest) ?? { unpacking: this.#unpack(artifact), readers: 0 };
    this.#folders.delete(artifact.digest);
    this.#folders.set(artifact.digest, shared);
    shared.readers += 1;
    try {
      return await read((await this.#unpacked(artifact, shared)).path);
    } finally {
      shared.readers -= 1;
      await this.#removeUnread();
    }
  }

  /** What cannot be unpacked now may be later. */
  async #unpacked({ digest }: Artifact, shared: Shared): Promise<Folder> {
    try {
      return await shared.unpacking;
    } catch (error: unknown) {
      if (this.#folders.get(digest) === shared) this.#folders.delete(digest);
      throw error;
    }
  }

  async #unpack(artifact: Artifact): Promise<Folder> {
    const archive = await this.#store.locate(artifact);
    if (archive === undefined) throw new LostArtifactError(`artifact ${artifact.path} (${artifact.revision})`);
    const { path, dispose } = await this.#store.scratch('source');
    try {
      return { path, dispose, bytes: await unpack(archive, path) };
    } catch (error: unknown) {
      await dispose();
      throw error;
    }
  }

  async #removeUnread(): Promise<void> {
    const unread = [...this.#folders].filter(([, { readers }]) => readers === 0);
    let bytes = 0;
    for (const [digest, { unpacking }] of unread.reverse()) {
      const folder = await unpacking;
      bytes += folder.bytes;
      const isStillUnread = this.#folders.get(digest)?.readers === 0;
      if (bytes <= this.#bytesKept || !isStillUnread) continue;
      this.#folders.delete(digest);
      await folder.dispose();
    }
  }
}

/** Unpacks artifacts into scratch folders of the store, and keeps `bytesKept` of those that nobody reads; 256 MiB. */
export function createUnpackedArtifacts(store: ArtifactStore, bytesKept: number = BYTES_KEPT): UnpackedArtifacts {
  return new SharedFolders(store, bytesKept);
}
