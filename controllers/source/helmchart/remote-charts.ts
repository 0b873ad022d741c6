import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TransientError } from '#lib/errors.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { Deps } from '../deps.js';
import { indexFile } from '../helmrepository/index-file.js';
import type { HelmRepository } from '../model/source.js';
import { repositoryKey } from './model/dependencies.js';
import type { WantedChart } from '../model/choose-version.js';
import type { RemoteCharts, RemotePlace } from './dependencies.js';
import { findRegistryChart, pullChart, requireEntry } from './pull.js';

/** The bytes of all indexes that are downloaded for one chart. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The indexes that the dependencies of one chart are in: one at a time is in scratch, which all tenants share. */
class DependencyIndexes {
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

const HELM_REPOSITORY = {
  apiVersion: `${helmRepositoryResource.group}/${helmRepositoryResource.version}`,
  kind: helmRepositoryResource.kind,
};

/** The HelmRepository with this URL, or one that opens with no login what everybody may read, as in Flux. */
function repositoryAt(deps: Deps, namespace: string, { kind, url }: RemotePlace): HelmRepository {
  const key = repositoryKey(url);
  const [first] = deps.repositories.helm
    .list(namespace)
    .filter(({ spec }) => repositoryKey(spec.url) === key)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  if (first !== undefined) return first;
  const spec = { url, type: kind === 'registry' ? ('oci' as const) : ('default' as const) };
  return { ...HELM_REPOSITORY, metadata: { name: '', namespace }, spec };
}

/**
 * Charts of repositories and registries, which the HelmRepositories of `namespace` open. `work` is a scratch folder.
 */
export function remoteCharts(
  deps: Deps,
  { namespace, work }: { readonly namespace: string; readonly work: string },
): RemoteCharts {
  const indexes = new DependencyIndexes(deps, work);
  return {
    pull: async (place, { name, version }, { file, signal }) => {
      const repository = repositoryAt(deps, namespace, place);
      const fields = { chart: 'dependencies[].name', version: 'dependencies[].version' };
      const wanted: WantedChart = { chart: name, version: version === '' ? '*' : version, fields };
      if (place.kind === 'registry') {
        await (await findRegistryChart(deps, wanted, repository, signal)).save(file);
        return;
      }
      const entry = await requireEntry(deps, repository, wanted, await indexes.fileOf(repository, signal));
      await writeFile(file, await pullChart(deps, repository, { ...entry, chart: name }, signal));
    },
    close: () => indexes.drop(),
  };
}
