import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CHART_LIMITS } from '#engine/artifact/archive.js';
import { CancelledError, ControllerError, TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import { parseVersion } from '#lib/semver/version.js';
import { isInRange, parseVersionRange } from '#lib/semver/version-range.js';
import { linkSignals } from '#runtime/process/signals.js';
import type { Deps } from '../deps.js';
import { realFolder } from '../git/real-folder.js';
import { dependencyPlace, shownDependency, type Dependency, type DependencyPlace } from './model/dependencies.js';
import { readChartFolder, type ChartFolder } from './chart-folder.js';
import { missingIn } from './dependency-files.js';
import { packageChart } from './package.js';

/** A place outside of the files of the source. */
export type RemotePlace = Exclude<DependencyPlace, { kind: 'folder' }>;

/** Where charts come from that are not in the files of the source. */
export interface RemoteCharts {
  /** Writes a packaged chart to `file`. */
  pull(
    place: RemotePlace,
    dependency: Dependency,
    to: { readonly file: string; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Drops what is only needed while charts are pulled. */
  close(): Promise<void>;
}

/** A chart in the files of a source. */
export interface Umbrella {
  readonly deps: Pick<Deps, 'offload' | 'run' | 'helmPath'>;
  readonly remote: RemoteCharts;
  /** Of the HelmChart. */
  readonly namespace: string;
  /** The files of the source. */
  readonly root: string;
  /** A scratch folder. */
  readonly work: string;
  readonly signal: AbortSignal;
}

/** Of all dependencies together. */
const TIMEOUT_MS = 120_000;
const MAX_BYTES = CHART_LIMITS.maxBytes;

function refused(problem: string): TerminalError {
  return new TerminalError('DependencyBuildError', problem);
}

/** Packages a chart of the same source to `file`. */
async function pack(
  umbrella: Umbrella,
  { parts }: Extract<DependencyPlace, { kind: 'folder' }>,
  { version }: Dependency,
  file: string,
): Promise<void> {
  const { deps, namespace, root, signal } = umbrella;
  const shown = `'${parts.join('/')}'`;
  const place = path.join(root, ...parts);
  const found = await stat(place).catch(() => undefined);
  if (found === undefined) throw refused(`there is no chart at ${shown}`);
  if (found.isFile()) return copyFile(place, file);
  const chart = await readChartFolder({ offload: deps.offload, tenant: namespace }, place, shown);
  const [range, parsed] = [parseVersionRange(version), parseVersion(chart.version)];
  if (range === undefined || parsed === undefined || !isInRange(parsed, range))
    throw refused(`${shown} has version '${chart.version}', which is not in '${version}'`);
  const work = path.join(umbrella.work, randomUUID());
  await mkdir(work);
  return packageChart(deps, chart, file, { version: chart.version, work, timeoutMs: TIMEOUT_MS, signal });
}

/** What is wrong with the files of the source needs another revision; what is elsewhere may change at any time. */
function failure(kind: DependencyPlace['kind'], subject: string, error: unknown): unknown {
  if (!(error instanceof ControllerError) || error instanceof CancelledError) return error;
  if (error.reason === 'StorageOperationFailed') return error;
  const message = `${subject}: ${error.message}`;
  const reason = 'DependencyBuildError';
  if (error instanceof TerminalError && kind === 'folder') return new TerminalError(reason, message, { cause: error });
  const asked = error instanceof TransientError || error instanceof WaitingError ? error.retryAfterMs : undefined;
  return new TransientError(message, { reason, cause: error, retryAfterMs: asked });
}

async function add(umbrella: Umbrella, chart: ChartFolder, dependency: Dependency, file: string): Promise<void> {
  const subject = `cannot add ${shownDependency(dependency)} to chart '${chart.name}'`;
  const parts = path.relative(umbrella.root, chart.path).split(path.sep);
  const place = dependencyPlace(dependency, parts);
  if ('problem' in place) throw refused(`${subject}: ${place.problem}`);
  try {
    if (place.kind === 'folder') await pack(umbrella, place, dependency, file);
    else await umbrella.remote.pull(place, dependency, { file, signal: umbrella.signal });
  } catch (error: unknown) {
    throw failure(place.kind, subject, error);
  }
}

async function addAll(umbrella: Umbrella, chart: ChartFolder, missing: readonly Dependency[]): Promise<void> {
  const charts = await realFolder(chart.path, ['charts'], { make: true });
  if (charts === undefined) throw refused(`charts of chart '${chart.name}' is not a folder`);
  let bytes = 0;
  // By repository: one index is there at a time.
  const byRepository = [...missing].sort(
    (a, b) => Number(a.repository > b.repository) - Number(a.repository < b.repository),
  );
  for (const dependency of byRepository) {
    const file = path.join(charts, `${randomUUID()}.tgz`);
    await add(umbrella, chart, dependency, file);
    bytes += (await stat(file)).size;
    if (bytes > MAX_BYTES) throw refused(`the dependencies of chart '${chart.name}' have more than ${MAX_BYTES} bytes`);
  }
}

/**
 * Puts what a chart depends on into its charts/, as `helm dependency build` does; what is there stays. Errors:
 * TerminalError and TransientError `DependencyBuildError`.
 */
export async function addDependencies(umbrella: Umbrella, chart: ChartFolder): Promise<void> {
  const { deps, namespace, remote, signal } = umbrella;
  const linked = linkSignals([signal], TIMEOUT_MS);
  try {
    const missing = await missingIn({ offload: deps.offload, tenant: namespace }, chart, linked.signal);
    if (missing.length > 0) await addAll({ ...umbrella, signal: linked.signal }, chart, missing);
  } catch (error: unknown) {
    if (signal.aborted || !linked.signal.aborted) throw error;
    const message = `the dependencies of chart '${chart.name}' did not come within ${TIMEOUT_MS / 1_000} s`;
    throw new TransientError(message, { reason: 'DependencyBuildError', cause: error });
  } finally {
    linked.unlink();
    await remote.close();
  }
}
