import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import { CHART_LIMITS, packDirectory, unpack } from '#engine/artifact/archive.js';
import { LostArtifactError } from '#engine/artifact/lost-artifact.js';
import { TerminalError } from '#lib/errors.js';
import { artifactOwner, type Deps } from '../deps.js';
import { buildChart, openArchive, openPath, type ChartBuild, type OpenedChart } from '../helmchart/build.js';
import { readChartFolder } from '../helmchart/chart-folder.js';
import type { RemoteCharts } from '../helmchart/dependencies.js';
import { MAX_CHART_BYTES } from '../helmchart/pull.js';
import { wantedChart } from '../model/choose-version.js';
import type { HelmChart } from '../model/source.js';
import { chartAt, chooseChart, type LocalChart } from './chart-choice.js';

/** Files of this machine that stand for what a source would fetch. */
export interface LocalSource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absolute path of a folder, or of a packaged chart. */
  readonly path: string;
  /** `spec.ignore`. */
  readonly ignore: string | undefined;
}

/** The services that make artifacts of local files. */
export type LocalTools = Pick<Deps, 'store' | 'offload' | 'run' | 'helmPath'>;

/** A source for messages: `GitRepository/shop/app`. */
export function shownSource({ kind, namespace, name }: Omit<LocalSource, 'path' | 'ignore'>): string {
  return `${kind}/${namespace}/${name}`;
}

/** A HelmChart, the files of its source, and the artifact of these if it is a tree. */
interface LocalChartOrder {
  /** Undefined: the source is the chart. */
  readonly chart: HelmChart | undefined;
  readonly source: LocalSource;
  readonly tree: Artifact | undefined;
  readonly signal: AbortSignal;
}

const NO_NETWORK: RemoteCharts = {
  pull: () =>
    Promise.reject(
      new TerminalError('DependencyBuildError', 'nothing is fetched here: run `helm dependency build` in the chart'),
    ),
  close: () => Promise.resolve(),
};

/** What is opened, and what its values files are relative to. */
interface Opened {
  readonly opened: OpenedChart;
  readonly root: string;
}

async function fromTree({ store }: LocalTools, build: ChartBuild, tree: Artifact): Promise<Opened> {
  const file = await store.locate(tree);
  if (file === undefined) throw new LostArtifactError(`artifact ${tree.path}`);
  const root = path.join(build.work, 'tree');
  await unpack(file, root);
  return { opened: await openPath(build, root), root };
}

/** The user's folder is left as it is: values files and dependencies are put into a copy. */
async function copied({ deps, chart, work }: ChartBuild, folder: string): Promise<OpenedChart> {
  const [archive, root] = [path.join(work, 'folder.tgz'), path.join(work, 'folder')];
  await packDirectory(folder, archive, { ignore: (name, isDirectory) => isDirectory && name === '.git' });
  await unpack(archive, root, CHART_LIMITS);
  const aside = { offload: deps.offload, tenant: chart.metadata.namespace ?? '' };
  return { folder: await readChartFolder(aside, root, folder) };
}

async function opened(build: ChartBuild, { path: file, isArchive }: LocalChart): Promise<Opened> {
  if (!isArchive) {
    const chart = await copied(build, file);
    return { opened: chart, root: chart.folder.path };
  }
  if ((await stat(file)).size > MAX_CHART_BYTES) {
    throw new TerminalError('InvalidChartReference', `${file} is larger than ${MAX_CHART_BYTES} bytes`);
  }
  const chart = await openArchive(build, file, file);
  return { opened: chart, root: chart.folder.path };
}

async function fromCharts(build: ChartBuild, { kind, path: root }: LocalSource): Promise<Opened> {
  const { deps, chart, signal } = build;
  if (kind === ociRepositoryResource.kind) {
    const single = await chartAt(root);
    if (single !== undefined) return opened(build, single);
    throw new TerminalError('InvalidChartReference', `${root} is no chart: it has no Chart.yaml`);
  }
  const aside = { offload: deps.offload, tenant: chart.metadata.namespace ?? '' };
  return opened(build, await chooseChart(aside, root, { wanted: wantedChart(chart.spec), signal }));
}

/** A chart that is an OCIRepository itself, as if a repository had nothing else. */
function onlyChart({ kind, namespace, name }: LocalSource): HelmChart {
  const sourceRef = { kind: 'HelmRepository' as const, name };
  return {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind, metadata: { name, namespace } },
    spec: { chart: name, interval: '10m', sourceRef },
  };
}

/**
 * The chart that a HelmChart would have of these files, as an artifact. Nothing is fetched. Throws TerminalError
 * `InvalidChartReference` | `ValuesFilesError` | `ChartPackageError` | `DependencyBuildError`, TransientError.
 */
export async function localChart(tools: LocalTools, order: LocalChartOrder): Promise<Artifact> {
  const { source, tree, signal } = order;
  const chart = order.chart ?? onlyChart(source);
  const { store } = tools;
  const scratch = await store.scratch('chart');
  try {
    const revision = tree?.revision ?? '';
    const build = { deps: tools, chart, files: { revision }, work: scratch.path, remote: NO_NETWORK, signal };
    const found = tree === undefined ? await fromCharts(build, source) : await fromTree(tools, build, tree);
    const { name, version, write } = await buildChart(build, found.opened, found.root);
    return await store.put(artifactOwner(chart), `${name}-${version}.tgz`, version, write);
  } finally {
    await scratch.dispose();
  }
}
