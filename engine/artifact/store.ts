import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { Artifact } from '#api/flux/common.js';
import { TransientError } from '#lib/errors.js';
import { createLru } from '#lib/lru.js';
import { isDiskFull, onDisk } from './disk-error.js';
import { orUndefined } from './lost-artifact.js';
import { quotaProblem, type QuotaProblem, expiredFiles, type Usage } from './model/limits.js';
import { artifactPath, isOfNamespace, isSegment, ownerPath, resolveArtifact } from './paths.js';
import { signatureOf } from './signature.js';
import type { ArtifactOwner, ArtifactStore } from './types.js';
import { usageOf } from './usage.js';

async function foldersIn(folder: string): Promise<string[]> {
  const entries = (await orUndefined(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory() && isSegment(entry.name)).map(({ name }) => name);
}

/** The owners that have a folder below `root`. */
async function ownersIn(root: string): Promise<ArtifactOwner[]> {
  const owners: ArtifactOwner[] = [];
  for (const kind of await foldersIn(root)) {
    for (const namespace of await foldersIn(join(root, kind))) {
      const names = await foldersIn(join(root, kind, namespace));
      owners.push(...names.map((name) => ({ kind, namespace, name })));
    }
  }
  return owners;
}

/** No owner's folder can have these names (paths.ts). */
const WORK_FOLDER = '.work';
/** Each content once, by its digest: the files of owners are further links to it. */
const CONTENT_FOLDER = '.content';
/** Others wait for the disk, too. */
const FILES_AT_ONCE = 32;
/** Of files: more than a controller has sources. */
const DIGESTS_REMEMBERED = 10_000;

export interface ArtifactStoreOptions {
  /** Absolute path of the folder; made when it is missing. */
  readonly root: string;
  /** Where server.ts serves the folder, without a slash at the end. */
  readonly baseUrl: string;
  /** The key of the addresses that server.ts serves; absent: nothing is served. */
  readonly key?: Buffer | undefined;
  /** Bytes of all artifacts together; default: no limit. */
  readonly quotaBytes?: number | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs?: () => number;
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest('hex')}`;
}

/** Waits until the disk has the file: a name must never lead to a part of it, not even after a power failure. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

class DiskStore implements ArtifactStore {
  readonly #root: string;
  readonly #baseUrl: string;
  readonly #key: Buffer | undefined;
  readonly #work: string;
  readonly #content: string;
  readonly #quotaBytes: number | undefined;
  readonly #nowMs: () => number;
  /** By identity, size and time of a file: it is read again only when it changed. */
  readonly #digests = createLru<string>(DIGESTS_REMEMBERED);
  /** Paths that their owner replaced, and since when. */
  readonly #replaced = new Map<string, number>();
  /** A content is not removed between its arrival and the first link to it. */
  readonly #oneAtATime = pLimit(1);
  #cleared: Promise<void> | undefined;
  /** Has not begun: who removes something meanwhile need not look at all content once more. */
  #removal: Promise<void> | undefined;

  constructor({ root, baseUrl, key, quotaBytes, nowMs = () => performance.now() }: ArtifactStoreOptions) {
    this.#root = root;
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
    this.#work = join(root, WORK_FOLDER);
    this.#content = join(root, CONTENT_FOLDER);
    this.#quotaBytes = quotaBytes;
    this.#nowMs = nowMs;
  }

  async put(
    owner: ArtifactOwner,
    fileName: string,
    revision: string,
    write: (path: string) => Promise<void>,
  ): Promise<Artifact> {
    const path = artifactPath(owner, fileName);
    return onDisk(async () => {
      await this.#openWork();
      const temporary = join(this.#work, randomUUID());
      try {
        await write(temporary);
        const digest = await digestOfFile(temporary);
        await this.#oneAtATime(() => this.#place({ temporary, path, digest }, owner));
        return await this.#describe({ path, revision, digest });
      } catch (error: unknown) {
        if (isDiskFull(error)) await this.#oneAtATime(() => this.#removeReplaced());
        throw error;
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  async locate({ path, digest }: Pick<Artifact, 'path' | 'digest'>): Promise<string | undefined> {
    const file = resolveArtifact(this.#root, path);
    return file !== undefined && (await this.#digest(file)) === digest ? file : undefined;
  }

  urlOf(path: string): string {
    const signed = this.#key === undefined ? path : `${signatureOf(this.#key, path)}/${path}`;
    return `${this.#baseUrl}/${signed.split('/').map(encodeURIComponent).join('/')}`;
  }

  async collect(owner: ArtifactOwner, keep: readonly string[]): Promise<void> {
    const folder = ownerPath(owner);
    const names = (await orUndefined(readdir(join(this.#root, folder)))) ?? [];
    for (const path of keep) this.#replaced.delete(path);
    const nowMs = this.#nowMs();
    const paths = names.filter(isSegment).map((name) => `${folder}/${name}`);
    const replaced = paths
      .filter((path) => !keep.includes(path))
      .map((path) => ({ path, sinceMs: this.#replaced.get(path) ?? nowMs }));
    for (const { path, sinceMs } of replaced) this.#replaced.set(path, sinceMs);
    const expired = expiredFiles(replaced, nowMs);
    if (expired.length === 0) return;
    await this.#oneAtATime(() => this.#removeFiles(expired));
    await this.#removeUnusedSoon();
  }

  owners(): Promise<ArtifactOwner[]> {
    return ownersIn(this.#root);
  }

  async remove(owner: ArtifactOwner): Promise<void> {
    const folder = ownerPath(owner);
    for (const path of this.#replaced.keys()) if (path.startsWith(`${folder}/`)) this.#replaced.delete(path);
    await rm(join(this.#root, folder), { recursive: true, force: true });
    await this.#removeUnusedSoon();
  }

  scratch(prefix: string): Promise<{ path: string; dispose: () => Promise<void> }> {
    return onDisk(async () => {
      await this.#openWork();
      const path = await mkdtemp(join(this.#work, `${prefix.replaceAll(/[^A-Za-z0-9-]/g, '-')}-`));
      return { path, dispose: () => rm(path, { recursive: true, force: true }) };
    });
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

  /** Digest of a file; undefined when there is none. */
  async #digest(file: string): Promise<string | undefined> {
    const found = await orUndefined(lstat(file, { bigint: true }));
    if (found?.isFile() !== true) return undefined;
    // Not the time of its inode, which a further link changes.
    const stamp = `${found.ino}:${found.size}:${found.mtimeNs}`;
    const known = this.#digests.get(stamp);
    if (known !== undefined) return known;
    const digest = await orUndefined(digestOfFile(file));
    if (digest !== undefined) this.#digests.set(stamp, digest);
    return digest;
  }

  /** Gives what was written its name, at once and whole; what is there already stays. */
  async #place(
    { temporary, path, digest }: Pick<Artifact, 'path' | 'digest'> & { readonly temporary: string },
    owner: ArtifactOwner,
  ): Promise<void> {
    this.#replaced.delete(path);
    const target = join(this.#root, path);
    if ((await this.#digest(target)) === digest) return;
    const content = join(this.#content, digest.replace(/^sha256:/, ''));
    await mkdir(this.#content, { recursive: true, mode: 0o700 });
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if ((await this.#digest(content)) !== digest) {
      await this.#requireRoom(owner, (await stat(temporary)).size);
      await flush(temporary);
      await rename(temporary, content);
    }
    const spare = join(this.#work, randomUUID());
    // A disk that cannot link keeps a copy for each owner.
    await link(content, spare).catch(() => rename(content, spare));
    await rename(spare, target);
  }

  /** Replaced files make room before anything is refused; those of other namespaces only where all use too much. */
  async #requireRoom(owner: ArtifactOwner, bytes: number): Promise<void> {
    const quota = this.#quotaBytes;
    if (quota === undefined) return;
    let usage: Usage | undefined;
    const find = async (): Promise<QuotaProblem | undefined> => {
      usage = await usageOf(this.#root, owner);
      return quotaProblem(quota, usage, bytes);
    };
    let problem = await find();
    if (problem?.scope === 'namespace') {
      await this.#removeReplaced(owner.namespace);
      problem = await find();
    }
    if (problem?.scope === 'store') {
      await this.#removeReplaced();
      problem = await find();
    }
    // An owner with more from before there was a quota may replace it, as long as it does not grow.
    if (problem === undefined || bytes <= (usage?.owner ?? 0)) return;
    throw new TransientError(problem.message, { reason: 'StorageOperationFailed' });
  }

  async #describe({ path, revision, digest }: Pick<Artifact, 'path' | 'revision' | 'digest'>): Promise<Artifact> {
    const { size } = await stat(join(this.#root, path));
    // Not the time of the file, which may be somebody else's: it holds the same content.
    const lastUpdateTime = `${new Date().toISOString().slice(0, 19)}Z`;
    return { path, url: this.urlOf(path), revision, digest, lastUpdateTime, size };
  }

  /** Of one namespace, or of all. */
  async #removeReplaced(namespace?: string): Promise<void> {
    const paths = [...this.#replaced.keys()];
    await this.#removeFiles(namespace === undefined ? paths : paths.filter((path) => isOfNamespace(path, namespace)));
    // Also what a process that was killed has put there without a link to it.
    await this.#removeUnusedContent();
  }

  async #removeFiles(paths: readonly string[]): Promise<void> {
    await Promise.all(paths.map((path) => rm(join(this.#root, path), { recursive: true, force: true })));
    for (const path of paths) this.#replaced.delete(path);
  }

  #removeUnusedSoon(): Promise<void> {
    this.#removal ??= this.#oneAtATime(() => {
      this.#removal = undefined;
      return this.#removeUnusedContent();
    });
    return this.#removal;
  }

  /** The file system counts the links: what has no other is nobody's. */
  async #removeUnusedContent(): Promise<void> {
    const names = (await orUndefined(readdir(this.#content))) ?? [];
    const files = names.map((name) => join(this.#content, name));
    const limit = pLimit(FILES_AT_ONCE);
    await Promise.all(files.map((file) => limit(async () => ((await lstat(file)).nlink === 1 ? rm(file) : undefined))));
  }
}

/** The artifacts below `root`, each written whole or not at all. One process writes; any number may read. */
export function createArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  return new DiskStore(options);
}
