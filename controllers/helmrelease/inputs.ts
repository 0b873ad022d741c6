import { LostArtifactError } from '#engine/artifact/lost-artifact.js';
import type { KnownTexts, SecretTexts } from '#engine/flux/model/secret-texts.js';
import { ControllerError, TerminalError } from '#lib/errors.js';
import { readChartInWorker, type ChartArchive } from './chart-archive.js';
import type { Deps } from './pass.js';
import { requireArtifact } from './helm-chart.js';
import { trackDigest } from './model/chart-metadata.js';
import type { ChartTraits } from './model/chart-traits.js';
import type { ChartArtifact } from './model/helm-chart.js';
import type { ChartRecord } from './model/release.js';
import type { ChartSource, HelmRelease } from './model/types.js';
import { textsOfChart } from './model/secret-values.js';
import { readValues, type ValuesDeps } from './values.js';

/** What inputs are read with. */
type ReadDeps = Pick<Deps, 'store' | 'chartArchives'> & ValuesDeps;

/** What a release is made of, read once per reconciliation. */
export interface Inputs {
  readonly artifact: ChartArtifact;
  /** For a chart from an OCI artifact, with the digest in its version. */
  readonly chart: ChartRecord;
  /** Of the OCI artifact, where the chart is from one. */
  readonly ociDigest: string | undefined;
  readonly traits: ChartTraits;
  readonly values: Record<string, unknown>;
  readonly configDigest: string;
  /** The values and keys that came from Secrets. */
  readonly secrets: () => KnownTexts;
}

/** From now on no text shows what came from Secrets. */
export function knowInputs(secrets: SecretTexts, inputs: Inputs): void {
  secrets.add('values', inputs.secrets);
  secrets.add('chart', () => textsOfChart(inputs.chart));
}

/**
 * Works on the archive of a chart, given its absolute path. Throws LostArtifactError when the store has lost it, even
 * during the work.
 */
export async function withArchive<T>(
  deps: Pick<Deps, 'store'>,
  artifact: ChartArtifact,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const lost = (): LostArtifactError => new LostArtifactError(`chart artifact ${artifact.path} (${artifact.revision})`);
  const path = await deps.store.locate(artifact);
  if (path === undefined) throw lost();
  try {
    return await work(path);
  } catch (error: unknown) {
    if (error instanceof ControllerError || (await deps.store.locate(artifact)) !== undefined) throw error;
    throw lost();
  }
}

async function readChart(deps: ReadDeps, artifact: ChartArtifact, tenant: string): Promise<ChartArchive> {
  const known = deps.chartArchives.get(artifact.digest);
  if (known !== undefined) return known;
  const archive = await withArchive(deps, artifact, (path) =>
    readChartInWorker(deps.offload, { path, shown: artifact.path }, tenant),
  );
  deps.chartArchives.set(artifact.digest, archive);
  return archive;
}

/** The chart as it is released. Throws TerminalError `ChartMutateError`. */
function tracked(record: ChartRecord, { revision }: ChartArtifact): Pick<Inputs, 'chart' | 'ociDigest'> {
  const found = trackDigest(record.metadata.version, revision);
  if (found === undefined) return { chart: record, ociDigest: undefined };
  if ('problem' in found) throw new TerminalError('ChartMutateError', found.problem);
  return { chart: { ...record, metadata: { ...record.metadata, version: found.version } }, ociDigest: found.digest };
}

/**
 * Reads chart and values. Throws WaitingError `SourceNotReady` | `ValuesError`, TerminalError `ArtifactFailed` |
 * `ChartMutateError`, LostArtifactError.
 */
export async function readInputs(
  deps: Deps,
  release: HelmRelease,
  source: ChartSource,
  signal: AbortSignal,
): Promise<Inputs> {
  return readInputsOf(deps, release, await requireArtifact(deps, source, signal), signal);
}

/** The same, of a chart that is in the store. */
export async function readInputsOf(
  deps: ReadDeps,
  release: HelmRelease,
  artifact: ChartArtifact,
  signal: AbortSignal,
): Promise<Inputs> {
  // The chart comes first: waiting for its artifact costs no request.
  const { record, traits } = await readChart(deps, artifact, release.metadata.namespace ?? '');
  const chart = tracked(record, artifact);
  return { artifact, ...chart, traits, ...(await readValues(deps, release, signal)) };
}
