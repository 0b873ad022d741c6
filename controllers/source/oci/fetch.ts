import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import isEqual from 'lodash/isEqual.js';
import type { OCIRepositoryStatus } from '#api/flux/oci-repository.js';
import { INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { unpack } from '#engine/artifact/archive.js';
import type { PassContext } from '#runtime/controller.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import { artifactOwner, type Deps } from '../deps.js';
import { requireCosign, requireSignature } from '../cosign/verify.js';
import { notSupported, type OCIRepository } from '../model/source.js';
import { CHART_LAYER, chooseLayer, chooseManifest, type Layer, type Manifest } from './model/manifest.js';
import {
  digestOf,
  ociRevision,
  ociTarget,
  ociTargetProblem,
  ociUrlProblem,
  repositoryOf,
  type OciTarget,
} from './model/reference.js';
import { knownVerification } from '../model/status.js';
import { packAside } from '../pack-aside.js';
import type { Fetched } from '../pass.js';
import { openRegistry } from './access.js';
import type { Registry } from './registry.js';
import { latestTagTask, parseManifestTask } from './tasks.js';

type Image = Extract<Manifest, { kind: 'image' }>;

const PULL_FAILED = 'OCIArtifactPullFailed';
const LAYER_FAILED = 'OCIArtifactLayerOperationFailed';
/** Bytes of a layer as it is pulled. */
const MAX_LAYER_BYTES = 256 * 1024 * 1024;

/** One pass over an OCIRepository. */
interface Pull {
  readonly deps: Deps;
  readonly repository: OCIRepository;
  readonly registry: Registry;
}

function validTarget(repository: OCIRepository): OciTarget {
  const { url, ref, provider = 'generic' } = repository.spec;
  const urlProblem = ociUrlProblem(url);
  if (urlProblem !== undefined) throw new TerminalError('URLInvalid', urlProblem);
  if (provider !== 'generic') throw notSupported(`spec.provider ${provider}`);
  requireCosign(repository.spec);
  const target = ociTarget(ref ?? {});
  const problem = ociTargetProblem(target);
  if (problem !== undefined) throw new TerminalError('InvalidReference', problem);
  return target;
}

/** Where the user wrote the range: nobody edits the source of an inline one. */
function rangeField({ metadata }: OCIRepository): string {
  return metadata.labels?.[INLINE_SOURCE_LABEL] === undefined ? 'spec.ref.semver' : 'source.inline.version';
}

async function tagOf({ deps, repository, registry }: Pull, target: Exclude<OciTarget, { kind: 'digest' }>) {
  if (target.kind === 'tag') return target.tag;
  const { range, filter } = target;
  const areCharts = repository.spec.layerSelector?.mediaType === CHART_LAYER.mediaType;
  const query = { tags: await registry.tags(), range, filter, field: rangeField(repository), areCharts };
  const answer = await latestTagTask.ask(deps.offload, query, repository.metadata.namespace ?? '');
  if ('tag' in answer) return answer.tag;
  throw new TransientError(`${repository.spec.url}: ${answer.problem}`, { reason: 'ReadOperationFailed' });
}

async function revisionOf(pull: Pull, target: OciTarget): Promise<string> {
  if (target.kind === 'digest') return ociRevision(undefined, target.digest);
  const tag = await tagOf(pull, target);
  return ociRevision(tag, await pull.registry.resolve(tag));
}

/** True when the stored artifact is what pulling `revision` would give. */
async function isCurrent({ deps, repository }: Pull, revision: string): Promise<boolean> {
  const { spec, status } = repository;
  if (spec.verify !== undefined && knownVerification(repository) === undefined) return false;
  const { artifact, observedIgnore, observedLayerSelector } = status ?? {};
  if (artifact?.revision !== revision || observedIgnore !== spec.ignore) return false;
  return isEqual(observedLayerSelector, spec.layerSelector) && (await deps.store.locate(artifact)) !== undefined;
}

function invalid(url: string, problem: string): TransientError {
  return new TransientError(`${url} ${problem}`, { reason: PULL_FAILED });
}

async function readManifest({ deps, registry, repository }: Pull, digest: string): Promise<Manifest> {
  const text = await registry.manifest(digest);
  const manifest = await parseManifestTask.ask(deps.offload, text, repository.metadata.namespace ?? '');
  if (manifest !== undefined) return manifest;
  throw invalid(`${repository.spec.url}@${digest}`, 'is not a manifest of an image or of a list of images');
}

/** A list of images leads to one image, and never to another list. */
async function readImage(pull: Pull, digest: string): Promise<Image> {
  const { url } = pull.repository.spec;
  const manifest = await readManifest(pull, digest);
  if (manifest.kind === 'image') return manifest;
  const chosen = chooseManifest(manifest);
  if (chosen === undefined) throw invalid(`${url}@${digest}`, 'is a list of images without one for linux/amd64');
  const image = await readManifest(pull, chosen.digest);
  if (image.kind === 'image') return image;
  throw invalid(`${url}@${digest}`, 'is a list of images that leads to another list');
}

function layerOf({ spec }: OCIRepository, { layers }: Image, digest: string): Layer {
  const chosen = chooseLayer(layers, spec.layerSelector);
  if ('layer' in chosen) return chosen.layer;
  throw new TransientError(`${spec.url}@${digest} ${chosen.problem}`, { reason: LAYER_FAILED });
}

/** A layer that cannot be unpacked is reported and retried: another push may fix it. */
async function repack(
  { deps, repository }: Pull,
  layer: { readonly revision: string; readonly from: string; readonly work: string; readonly to: string },
): Promise<void> {
  const folder = path.join(layer.work, 'tree');
  const { metadata, spec } = repository;
  try {
    await unpack(layer.from, folder);
    const { ignore: specIgnore, layerSelector: selection } = spec;
    const packing = { revision: layer.revision, selection, folder, specIgnore, file: layer.to };
    await packAside(deps.offload, packing, metadata.namespace ?? '');
  } catch (error: unknown) {
    if (!(error instanceof TerminalError)) throw error;
    const message = `the layer of ${spec.url} is no tar.gz that can be used: ${error.message}`;
    throw new TransientError(message, { reason: LAYER_FAILED, cause: error });
  }
}

async function store(pull: Pull, revision: string, work: string): Promise<Fetched<OCIRepositoryStatus>> {
  const { deps, repository, registry } = pull;
  const { ignore, layerSelector } = repository.spec;
  const digest = digestOf(revision);
  const image = await readImage(pull, digest);
  const from = path.join(work, 'layer.tar.gz');
  await registry.save(layerOf(repository, image, digest), from, MAX_LAYER_BYTES);
  const write = (to: string): Promise<void> =>
    layerSelector?.operation === 'copy' ? copyFile(from, to) : repack(pull, { revision, from, work, to });
  const name = `${digest.slice(digest.indexOf(':') + 1)}.tar.gz`;
  const artifact = { ...(await deps.store.put(artifactOwner(repository), name, revision, write)) };
  if (Object.keys(image.annotations).length > 0) artifact.metadata = { ...image.annotations };
  const observed = { observedIgnore: ignore, observedLayerSelector: layerSelector };
  return fetched(repository, revision, { artifact, url: artifact.url, ...observed });
}

/** Nothing of an artifact is fetched before its signature is verified. */
async function verify({ deps, repository, registry }: Pull, revision: string, signal: AbortSignal): Promise<void> {
  const { spec } = repository;
  if (spec.verify === undefined) return;
  const signed = { registry, place: repositoryOf(spec.url), digest: digestOf(revision) };
  await requireSignature(deps, repository, spec.verify, { signed, signal });
}

function fetched(
  { spec }: OCIRepository,
  revision: string,
  fields: Fetched<OCIRepositoryStatus>['fields'],
): Fetched<OCIRepositoryStatus> {
  const report = { reason: 'Succeeded', message: `stored artifact for digest '${revision}'` };
  const signed = { reason: 'Succeeded', message: `verified signature of revision ${revision}` };
  return { ...report, fields, verified: spec.verify && signed };
}

/**
 * An artifact of a registry; an unchanged one costs one HEAD. Errors: TerminalError `URLInvalid` | `InvalidReference` |
 * `FeatureNotSupported`; TransientError `ReadOperationFailed` | `OCIArtifactPullFailed` |
 * `OCIArtifactLayerOperationFailed` | `AuthenticationFailed`; WaitingError `AuthenticationFailed`; and
 * `VerificationError`, see requireSignature.
 */
export async function fetchOciRepository(
  deps: Deps,
  repository: OCIRepository,
  { signal }: PassContext,
): Promise<Fetched<OCIRepositoryStatus>> {
  const target = validTarget(repository);
  const place = repositoryOf(repository.spec.url);
  const registry = await openRegistry(deps, repository, { place, signal, reason: PULL_FAILED });
  const pull: Pull = { deps, repository, registry };
  const revision = await revisionOf(pull, target);
  if (await isCurrent(pull, revision)) return fetched(repository, revision, {});
  await verify(pull, revision, signal);
  const scratch = await deps.store.scratch('oci');
  try {
    return await store(pull, revision, scratch.path);
  } finally {
    await scratch.dispose();
  }
}
