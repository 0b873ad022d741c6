import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { CHART_LIMITS, packDirectory, unpack } from '#engine/artifact/archive.js';
import { NO_SPACE } from '#engine/artifact/disk-error.js';
import { TerminalError, TransientError, type ControllerError } from '#lib/errors.js';
import type { Deps } from '../deps.js';
import type { ChartFolder } from './chart-folder.js';

export interface PackageOptions {
  /** What Chart.yaml of the archive says. */
  readonly version: string;
  /** A scratch folder. */
  readonly work: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_MESSAGE = 600;
const SAID_WHEN_FULL = 'no space left on device';
const MISSING_DEPENDENCY = 'missing in charts/ directory';

/** helm with no configuration, cache or plugin but ours. */
function helmEnvironment(work: string): Record<string, string> {
  const folder = (name: string): string => path.join(work, 'helm', name);
  return {
    HOME: work,
    HELM_CACHE_HOME: folder('cache'),
    HELM_CONFIG_HOME: folder('config'),
    HELM_DATA_HOME: folder('data'),
    HELM_NO_PLUGINS: '1',
  };
}

/** Without scratch folders, which have other names each time. */
export function packageFailure(
  chart: Pick<ChartFolder, 'name' | 'path'>,
  work: string,
  stderr: string,
): ControllerError {
  const said = stderr
    .trim()
    .replace(/^Error: /, '')
    .replaceAll(chart.path, chart.name)
    .replaceAll(`${work}/`, '')
    .slice(0, MAX_MESSAGE);
  // A process has no other way to say so, and it is nothing that a user of the chart can fix.
  if (stderr.includes(SAID_WHEN_FULL)) return new TransientError(NO_SPACE, { reason: 'StorageOperationFailed' });
  // Not a class of error but a field of helm's answer that we show: it only chooses the hint.
  return said.includes(MISSING_DEPENDENCY)
    ? new TerminalError(
        'DependencyBuildError',
        `${said}: correct Chart.lock ('helm dependency update'), or commit charts/`,
      )
    : new TerminalError('ChartPackageError', `helm cannot package chart '${chart.name}': ${said}`);
}

/** helm writes the time of now into its archives: without it the same chart gives the same bytes. */
async function repack(archive: string, folder: string, target: string): Promise<void> {
  await unpack(archive, folder, CHART_LIMITS);
  await packDirectory(folder, target);
}

/**
 * Makes the archive of a chart with the real helm, at `target`. Errors: TerminalError `ChartPackageError` |
 * `DependencyBuildError`; TransientError `StorageOperationFailed`; and those of Run.
 */
export async function packageChart(
  deps: Pick<Deps, 'run' | 'helmPath'>,
  chart: ChartFolder,
  target: string,
  options: PackageOptions,
): Promise<void> {
  const { version, work, timeoutMs, signal } = options;
  const destination = path.join(work, 'package');
  await mkdir(destination, { recursive: true });
  const args = ['package', chart.path, '--destination', destination, '--version', version];
  const { code, stderr } = await deps.run(deps.helmPath, args, {
    env: helmEnvironment(work),
    cwd: work,
    timeoutMs,
    signal,
  });
  if (code !== 0) throw packageFailure(chart, work, stderr);
  const [archive] = await readdir(destination);
  if (archive === undefined)
    throw new TerminalError('ChartPackageError', `helm created no archive of chart '${chart.name}'`);
  await repack(path.join(destination, archive), path.join(work, 'repacked'), target);
}
