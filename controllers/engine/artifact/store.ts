import type { Artifact } from '#api/flux/common.js';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { artifactPath, ownerPath, resolveArtifact } from './paths.js';
import type { ArtifactOwner, ArtifactStore } from './types.js';

/** No owner's folder can have this name (paths.ts). */
const WORK_FOLDER = '.work';

export interface ArtifactStoreOptions {
  /** Absolute path of the folder; made when it is missing. */
  readonly root: string;
  /** Where server.ts serves the folder, without a slash at the end. */
  readonly baseUrl: string;
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error: unknown) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest('hex')}`;
}

class DiskStore implements ArtifactStore {
  readonly #root: string;
  readonly #baseUrl: string;
  readonly #work: string;
  /** Digest by path, size and time of the file: a file is read again only when it changed. */
  readonly #checked = new Map<string, { stamp: string; digest: string }>();
  #cleared: Promise<void> | undefined;

  constructor({ root, baseUrl }: ArtifactStoreOptions) {
    this.#root = root;
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#work = join(root, WORK_FOLDER);
  }

  async put(
    owner: ArtifactOwner,
    fileName: string,
    revision: string,
    write: (path: string) => Promise<void>,
  ): Promise<Artifact> {
    const path = artifactPath(owner, fileName);
    await this.#openWork();
    const temporary = join(this.#work, randomUUID());
    try {
      await write(temporary);
      const digest = await digestOfFile(temporary);
      if ((await this.#digest(path)) !== digest) await this.#move(temporary, path);
      return await this.#describe({ path, revision, digest });
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async locate({ path, digest }: Pick<Artifact, 'path' | 'digest'>): Promise<string | undefined> {
    return (await this.#digest(path)) === digest ? resolveArtifact(this.#root, path) : undefined;
  }

  async collect(owner: ArtifactOwner, keep: readonly string[]): Promise<void> {
    const folder = ownerPath(owner);
    const names = (await orUndefined(readdir(join(this.#root, folder)))) ?? [];
    const dated = await Promise.all(
      names.map(async (name) => ({ name, time: (await stat(join(this.#root, folder, name))).mtimeMs })),
    );
    const newest = dated.sort((a, b) => b.time - a.time)[0]?.name;
    const stale = names.filter((name) => name !== newest && !keep.includes(`${folder}/${name}`));
    await Promise.all(stale.map((name) => this.#forget(`${folder}/${name}`)));
  }

  async remove(owner: ArtifactOwner): Promise<void> {
    const folder = ownerPath(owner);
    for (const path of this.#checked.keys()) if (path.startsWith(`${folder}/`)) this.#checked.delete(path);
    await rm(join(this.#root, folder), { recursive: true, force: true });
  }

  async scratch(prefix: string): Promise<{ path: string; dispose: () => Promise<void> }> {
    await this.#openWork();
    const path = await mkdtemp(join(this.#work, `${prefix.replaceAll(/[^A-Za-z0-9-]/g, '-')}-`));
    return { path, dispose: () => rm(path, { recursive: true, force: true }) };
  }

  /** The work folder, without what a process that was killed left there. */
  async #openWork(): Promise<void> {
    this.#cleared ??= rm(this.#work, { recursive: true, force: true });
    try {
      await this.#cleared;
    } catch (error: unknown) {
      this.#cleared = undefined;
      throw error;
    }
    await mkdir(this.#work, { recursive: true, mode: 0o700 });
  }

  /** Digest of a stored file; undefined when there is none. */
  async #digest(path: string): Promise<string | undefined> {
    const file = resolveArtifact(this.#root, path);
    const found = file === undefined ? undefined : await orUndefined(lstat(file, { bigint: true }));
    if (file === undefined || found?.isFile() !== true) return undefined;
    const stamp = `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    const known = this.#checked.get(path);
    if (known?.stamp === stamp) return known.digest;
    const digest = await orUndefined(digestOfFile(file));
    if (digest !== undefined) this.#checked.set(path, { stamp, digest });
    return digest;
  }

  async #move(temporary: string, path: string): Promise<void> {
    const target = join(this.#root, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // Not flushed: what a crash of the machine tears is found by its digest, and fetched again.
    await rename(temporary, target);
  }

  async #describe({ path, revision, digest }: Pick<Artifact, 'path' | 'revision' | 'digest'>): Promise<Artifact> {
    const { size, mtime } = await stat(join(this.#root, path));
    const lastUpdateTime = `${mtime.toISOString().slice(0, 19)}Z`;
    const url = `${this.#baseUrl}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return { path, url, revision, digest, lastUpdateTime, size };
  }

  async #forget(path: string): Promise<void> {
    this.#checked.delete(path);
    await rm(join(this.#root, path), { recursive: true, force: true });
  }
}

/** The artifacts below `root`, each written whole or not at all. One process writes; any number may read. */
export function createArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  return new DiskStore(options);
}
