import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { TransientError } from '#lib/errors.js';
import type { Deps } from '../deps.js';
import { indexFile } from '../helmrepository/index-file.js';
import type { HelmRepository } from '../model/types.js';

/** Of all indexes that are downloaded for one chart. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The indexes that the dependencies of one chart are in: one at a time is in scratch, which all tenants share. */
export class DependencyIndexes {
  readonly #deps: Deps;
  readonly #folder: string;
  #bytes = 0;
  #last: { readonly url: string; readonly file: string } | undefined;

  /** `work` is a scratch folder. */
  constructor(deps: Deps, work: string) {
    this.#deps = deps;
    this.#folder = path.join(work, 'index');
  }

  /** The file with an index, until another one is asked for. Errors: those of indexFile. */
  async fileOf(repository: HelmRepository, signal: AbortSignal): Promise<string> {
    const { url } = repository.spec;
    if (this.#last?.url === url) return this.#last.file;
    await this.drop();
    // Another name each time: a thread keeps what it read, by the name of its file.
    const folder = path.join(this.#folder, randomUUID());
    const file = await indexFile(this.#deps, repository, { folder, signal, spend: (bytes) => this.#spend(bytes) });
    this.#last = { url, file };
    return file;
  }

  async drop(): Promise<void> {
    this.#last = undefined;
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_BYTES) return;
    const message = `the indexes of the repositories of all dependencies have more than ${MAX_BYTES} bytes: create HelmRepositories with their URLs, or commit charts/`;
    throw new TransientError(message, { reason: 'DependencyBuildError' });
  }
}
