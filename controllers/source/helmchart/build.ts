import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseVersion } from '#lib/semver/version.js';
import { TerminalError } from '#lib/errors.js';
import { commitOf } from '../git/model/reference.js';
import type { HelmChart } from '../model/source.js';
import type { Deps } from '../deps.js';
import { pathWithin } from '../model/paths.js';
import { mergeValuesFiles, readChartFolder, unpackChart, type Aside, type ChartFolder } from './chart-folder.js';
import { addDependencies, type RemoteCharts } from './dependencies.js';
import { packageChart } from './package.js';

/** Characters of a source's revision that make it into the version. */
const SHORT_REVISION = 12;

/** The text by which the files of a source are told apart. */
export interface SourceFiles {
  readonly revision: string;
  /** Digest of the files, if there are others of the same revision, as where other sources are included; else absent. */
  readonly digest?: string | undefined;
}

/**
 * Build metadata of the packaged chart, as Flux writes it: a piece of the source's revision when any new one is to be
 * followed, the generation when values files are merged, so that whoever uses the chart sees the change. Empty: none.
 * Unlike in Flux, other files of the same revision are such a change.
 */
export function versionMetadata({ metadata, spec }: HelmChart, { revision, digest }: SourceFiles): string {
  const follows = spec.reconcileStrategy === 'Revision' && spec.sourceRef.kind !== 'HelmRepository';
  const merges = (spec.valuesFiles ?? []).length > 0;
  const parts = [
    ...(follows ? [commitOf(revision).slice(0, SHORT_REVISION)] : []),
    ...(follows && digest !== undefined ? [digest.replace(/^\w+:/, '').slice(0, SHORT_REVISION)] : []),
    ...(merges ? [String(metadata.generation ?? 0)] : []),
  ];
  return parts.join('.');
}

/** `version` with other build metadata; unchanged without any. Undefined when it is no version. */
export function withMetadata(version: string, metadata: string): string | undefined {
  const parsed = parseVersion(version);
  if (parsed === undefined || metadata === '') return parsed === undefined ? undefined : version;
  const { major, minor, patch, prerelease } = parsed;
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}+${metadata}`;
}

/** How Flux words what became of a chart. */
export function chartMessage(chart: {
  readonly action: 'pulled' | 'packaged';
  readonly name: string;
  readonly version: string;
  readonly valuesFiles: readonly string[];
}): string {
  const { action, name, version, valuesFiles } = chart;
  const merged = valuesFiles.length === 0 ? '' : ` and merged values files [${valuesFiles.join(' ')}]`;
  return `${action} '${name}' chart with version '${version}'${merged}`;
}

/** A HelmChart, and what its archive is made with. */
export interface ChartBuild {
  readonly deps: Pick<Deps, 'offload' | 'run' | 'helmPath'>;
  readonly chart: HelmChart;
  readonly files: SourceFiles;
  /** A scratch folder. */
  readonly work: string;
  /** What the chart depends on and its source does not hold. */
  readonly remote: RemoteCharts;
  readonly signal: AbortSignal;
}

/** A chart that is ready to be written. */
export interface BuiltChart {
  readonly name: string;
  readonly version: string;
  readonly action: 'pulled' | 'packaged';
  readonly valuesFiles: readonly string[];
  readonly write: (target: string) => Promise<void>;
}

const PACKAGE_TIMEOUT_MS = 60_000;

function asideOf({ deps: { offload }, chart: { metadata } }: ChartBuild): Aside {
  return { offload, tenant: metadata.namespace ?? '' };
}

/** What is packaged: the files of a chart, and the archive that they came in, if any. */
export interface OpenedChart {
  readonly folder: ChartFolder;
  readonly archive?: Buffer;
}

/**
 * The chart with its values files merged, as an archive of its own; the archive that it came in will do when its version
 * stays as it is. `root` is what the values files are relative to.
 */
export async function buildChart(
  build: ChartBuild,
  { folder, archive }: OpenedChart,
  root: string,
): Promise<BuiltChart> {
  const { deps, chart, files, work, signal } = build;
  const metadata = versionMetadata(chart, files);
  const version = withMetadata(folder.version, metadata);
  if (version === undefined) {
    const message = `chart '${folder.name}' has version ${JSON.stringify(folder.version)}, which is not a semantic version`;
    throw new TerminalError('InvalidChartReference', message);
  }
  const aside = asideOf(build);
  const valuesFiles = await mergeValuesFiles(aside, chart.spec, { root, chart: folder });
  const unchanged = metadata === '' ? archive : undefined;
  return {
    name: folder.name,
    version,
    action: unchanged === undefined ? 'packaged' : 'pulled',
    valuesFiles,
    write: async (target) => {
      if (unchanged !== undefined) return writeFile(target, unchanged);
      // An archive holds what it depends on.
      if (archive === undefined) await addDependencies({ ...build, namespace: aside.tenant, root }, folder);
      return packageChart(deps, folder, target, { version, work, signal, timeoutMs: PACKAGE_TIMEOUT_MS });
    },
  };
}

/** A packaged chart; `shown` names it in messages. */
export async function openArchive(build: ChartBuild, file: string, shown: string): Promise<OpenedChart> {
  const place = { file, folder: path.join(build.work, 'unpacked') };
  return { folder: await unpackChart(asideOf(build), place, shown), archive: await readFile(file) };
}

/** `spec.chart` in the files of a source: a folder, or a packaged chart. */
export async function openPath(build: ChartBuild, root: string): Promise<OpenedChart> {
  const { kind, name } = build.chart.spec.sourceRef;
  const shown = `'${build.chart.spec.chart}' in ${kind} '${name}'`;
  const place = path.join(root, ...pathWithin(build.chart.spec.chart));
  const found = await stat(place).catch(() => undefined);
  if (found?.isFile() !== true) return { folder: await readChartFolder(asideOf(build), place, shown) };
  try {
    return await openArchive(build, place, shown);
  } catch (error: unknown) {
    if (!(error instanceof TerminalError)) throw error;
    const message = `${shown} is not a packaged chart (${error.message}): correct spec.chart`;
    throw new TerminalError('InvalidChartReference', message, { cause: error });
  }
}
