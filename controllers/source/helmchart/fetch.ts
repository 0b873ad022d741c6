import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import type { HelmChartStatus } from '#api/flux/helm-chart.js';
import { unpack } from '#engine/artifact/archive.js';
import { LostArtifactError } from '#engine/artifact/lost-artifact.js';
import type { Cache, PassContext } from '#runtime/controller.js';
import { TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import { requireCosign, requireSignature } from '../cosign/verify.js';
import { artifactOwner, type Deps } from '../deps.js';
import { isExpectedDigest, wantedChart, type ChartEntry } from '../model/choose-version.js';
import {
  chartMessage,
  versionMetadata,
  withMetadata,
  buildChart,
  openArchive,
  openPath,
  type BuiltChart,
  type ChartBuild,
  type SourceFiles,
} from './build.js';
import { isRegistry } from '../model/urls.js';
import { isAsVerified, isSettled, knownVerification } from '../model/status.js';
import type { Bucket, GitRepository, HelmChart, HelmRepository } from '../model/source.js';
import type { Fetched } from '../pass.js';
import { findRegistryChart, pullChart, requireEntry, type RegistryChart } from './pull.js';
import { remoteCharts } from './remote-charts.js';

type Outcome = Fetched<HelmChartStatus>;

/** One pass over a HelmChart whose source has an artifact. */
interface Build extends ChartBuild {
  readonly deps: Deps;
}

const WITHOUT_SIGNATURES =
  'spec.verify is for charts of a HelmRepository of type oci, others have no signatures of cosign: remove it';

type ChartSource = GitRepository | HelmRepository | Bucket;

function sourceOf({ repositories, dependencyRequeueMs }: Deps, { spec, metadata }: HelmChart): ChartSource {
  const { kind, name } = spec.sourceRef;
  const { git, helm, bucket } = repositories;
  const caches: Readonly<Record<typeof kind, Pick<Cache<ChartSource>, 'get'>>> = {
    GitRepository: git,
    HelmRepository: helm,
    Bucket: bucket,
  };
  const source = caches[kind].get({ name, namespace: metadata.namespace });
  const shown = `${kind} '${metadata.namespace ?? ''}/${name}'`;
  if (source === undefined) {
    const message = `${shown} named by spec.sourceRef does not exist: create it`;
    throw new WaitingError('SourceUnavailable', message, { retryAfterMs: dependencyRequeueMs });
  }
  return source;
}

/** An artifact of a source, and the absolute path of its file. */
interface Stored {
  readonly artifact: Artifact;
  readonly file: string;
}

async function requireArtifact(deps: Deps, source: ChartSource): Promise<Stored> {
  const artifact = source.status?.artifact;
  const file = artifact && (await deps.store.locate(artifact));
  if (artifact !== undefined && file !== undefined) return { artifact, file };
  const { kind, metadata } = source;
  if (artifact !== undefined) throw new LostArtifactError(`artifact ${artifact.path} of ${kind} '${metadata.name}'`);
  const message = `no artifact available for ${kind} source '${metadata.name}'`;
  throw new WaitingError('NoSourceArtifact', message, { retryAfterMs: deps.dependencyRequeueMs });
}

async function pulled(build: Build, repository: HelmRepository, entry: ChartEntry): Promise<BuiltChart> {
  const { deps, chart, work, signal } = build;
  const file = path.join(work, 'chart.tgz');
  await writeFile(file, await pullChart(deps, repository, { ...entry, chart: chart.spec.chart }, signal));
  const opened = await openArchive(
    build,
    file,
    `the archive of chart '${chart.spec.chart}' version '${entry.version}'`,
  );
  return buildChart(build, opened, opened.folder.path);
}

async function fromFiles(build: Build, file: string): Promise<Outcome> {
  const root = path.join(build.work, 'tree');
  await unpack(file, root);
  return store(build, await buildChart(build, await openPath(build, root), root));
}

async function isStored(deps: Deps, chart: HelmChart): Promise<boolean> {
  const artifact = chart.status?.artifact;
  if (artifact === undefined) return false;
  return (await deps.store.locate(artifact)) !== undefined;
}

/** True when neither the spec nor the source changed since the stored chart was made. */
async function isUnchanged(deps: Deps, chart: HelmChart, files: SourceFiles): Promise<boolean> {
  const { revision, digest } = files;
  if (!isAsVerified(chart, revision)) return false;
  const metadata = versionMetadata(chart, files);
  if (digest !== undefined && chart.status?.artifact?.revision.endsWith(metadata) !== true) return false;
  const settled = isSettled(chart.status, chart.metadata.generation ?? 0);
  return settled && chart.status?.observedSourceArtifactRevision === revision && (await isStored(deps, chart));
}

/**
 * True when the same version of the same chart is stored already: by `reconcileStrategy: ChartVersion` that is enough,
 * unless other bytes were verified.
 */
async function isSameVersion({ deps, chart, files: { revision } }: Build, built: BuiltChart): Promise<boolean> {
  if (!isAsVerified(chart, revision)) return false;
  const { artifact, observedChartName, observedGeneration } = chart.status ?? {};
  const same = artifact?.revision === built.version && observedChartName === built.name;
  return same && observedGeneration === chart.metadata.generation && isStored(deps, chart);
}

async function store(build: Build, built: BuiltChart): Promise<Outcome> {
  const { deps, chart, files } = build;
  const { name, version, action, valuesFiles } = built;
  const report = {
    reason: action === 'pulled' ? 'ChartPullSucceeded' : 'ChartPackageSucceeded',
    message: chartMessage(built),
  };
  const mayMiss = chart.spec.ignoreMissingValuesFiles === true;
  const observed = {
    observedSourceArtifactRevision: files.revision,
    observedChartName: name,
    observedValuesFiles: mayMiss && valuesFiles.length > 0 ? [...valuesFiles] : undefined,
  };
  if (await isSameVersion(build, built)) return { ...report, fields: observed };
  const artifact = await deps.store.put(artifactOwner(chart), `${name}-${version}.tgz`, version, built.write);
  return { ...report, fields: { ...observed, artifact, url: artifact.url } };
}

function asBefore(chart: HelmChart, fields: Outcome['fields'] = {}): Outcome {
  const ready = chart.status?.conditions?.find(({ type }) => type === 'Ready');
  const verified = chart.spec.verify && knownVerification(chart);
  return { reason: ready?.reason ?? 'Succeeded', message: ready?.message ?? '', fields, verified };
}

/** True when the stored chart was made of this very entry: an index often changes for the sake of other charts. */
async function isSameEntry({ deps, chart, files }: Build, entry: ChartEntry): Promise<boolean> {
  const { status, spec, metadata } = chart;
  const added = versionMetadata(chart, files);
  const version = withMetadata(entry.version, added);
  const artifact = status?.artifact;
  if (artifact === undefined || artifact.revision !== version || status?.observedChartName !== spec.chart) return false;
  if (added === '' && !isExpectedDigest(entry, artifact.digest.replace(/^sha256:/, ''))) return false;
  return isSettled(status, metadata.generation ?? 0) && isStored(deps, chart);
}

async function fromHelmRepository(build: Build, repository: HelmRepository, { artifact, file }: Stored) {
  const { deps, chart } = build;
  const entry = await requireEntry(deps, repository, wantedChart(chart.spec), file);
  if (await isSameEntry(build, entry)) return asBefore(chart, { observedSourceArtifactRevision: artifact.revision });
  return store(build, await pulled(build, repository, entry));
}

/** What was pushed wrongly is retried, because another push may fix it: no other object tells of it. */
async function fromRegistry(build: Build, found: RegistryChart): Promise<Outcome> {
  const { deps, chart, signal, work } = build;
  const { verify } = chart.spec;
  if (verify !== undefined) await requireSignature(deps, chart, verify, { signed: found.signed, signal });
  const file = path.join(work, 'chart.tgz');
  await found.save(file);
  try {
    const opened = await openArchive(build, file, `the archive of chart '${chart.spec.chart}'`);
    const built = await buildChart(build, opened, opened.folder.path);
    const signed = { reason: 'Succeeded', message: `verified signature of version ${built.version}` };
    return { ...(await store(build, built)), verified: verify && signed };
  } catch (error: unknown) {
    if (!(error instanceof TerminalError)) throw error;
    throw new TransientError(error.message, { reason: error.reason, cause: error });
  }
}

/** The files of a chart, and how it is made of them. */
interface Upstream {
  readonly files: SourceFiles;
  readonly make: (build: Build) => Promise<Outcome>;
}

async function upstreamOf(deps: Deps, chart: HelmChart, signal: AbortSignal): Promise<Upstream> {
  const source = sourceOf(deps, chart);
  const isHelm = chart.spec.sourceRef.kind === 'HelmRepository';
  // sourceOf looked the source up by its kind.
  const repository = source as HelmRepository;
  if (isHelm && isRegistry(repository)) {
    const found = await findRegistryChart(deps, wantedChart(chart.spec), repository, signal);
    return { files: { revision: found.revision }, make: (build) => fromRegistry(build, found) };
  }
  if (chart.spec.verify !== undefined) throw new TerminalError('VerificationError', WITHOUT_SIGNATURES);
  const stored = await requireArtifact(deps, source);
  const make = (build: Build): Promise<Outcome> =>
    isHelm ? fromHelmRepository(build, repository, stored) : fromFiles(build, stored.file);
  const { revision, digest } = stored.artifact;
  return { files: { revision, ...(includesOthers(source) ? { digest } : {}) }, make };
}

function includesOthers({ status = {} }: ChartSource): boolean {
  return 'includedArtifacts' in status && (status.includedArtifacts ?? []).length > 0;
}

/**
 * One chart of a source as an artifact. Errors: WaitingError `SourceUnavailable` | `NoSourceArtifact` |
 * `AuthenticationFailed`; LostArtifactError; TerminalError `InvalidChartReference` | `ValuesFilesError` |
 * `ChartPackageError` | `DependencyBuildError` | `FeatureNotSupported`; TransientError `ChartPullError` |
 * `AuthenticationFailed`; and `VerificationError`, see requireSignature.
 */
export async function fetchHelmChart(
  deps: Deps,
  chart: HelmChart,
  { signal }: Pick<PassContext, 'signal'>,
): Promise<Outcome> {
  requireCosign(chart.spec);
  const { files, make } = await upstreamOf(deps, chart, signal);
  if (await isUnchanged(deps, chart, files)) return asBefore(chart);
  const scratch = await deps.store.scratch('chart');
  const work = scratch.path;
  const remote = remoteCharts(deps, { namespace: chart.metadata.namespace ?? '', work });
  try {
    return await make({ deps, chart, files, work, remote, signal });
  } finally {
    await scratch.dispose();
  }
}
