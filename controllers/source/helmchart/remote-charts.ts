import { writeFile } from 'node:fs/promises';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { Deps } from '../deps.js';
import { repositoryKey } from '../model/chart-dependencies.js';
import type { WantedChart } from '../model/helm-index.js';
import type { HelmRepository } from '../model/types.js';
import type { RemoteCharts, RemotePlace } from './dependencies.js';
import { DependencyIndexes } from './dependency-indexes.js';
import { findRegistryChart } from './from-registry.js';
import { pullChart, requireEntry } from './from-repository.js';

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
