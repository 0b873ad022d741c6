import { join } from 'node:path';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Artifact } from '#api/flux/common.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { createUnpackedArtifacts } from '#engine/artifact/unpacked.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { digestOf } from '#lib/hash.js';
import { createLru } from '#lib/lru.js';
import { kustomizeBuild, type KustomizeTool } from '#engine/flux/kustomize-build.js';
import { namespaceManifests, printsNamespace } from './model/namespaces.js';
import type { BuildSpec } from './model/kustomization-file.js';
import type { SopsKeys } from './model/sops/data-key.js';
import { prepareAside, type BuildProblem } from './prepare-aside.js';

export interface BuildDependencies extends KustomizeTool {
  readonly store: ArtifactStore;
  readonly offload: Pick<Offload, 'run'>;
}

export interface BuildRequest {
  readonly artifact: Artifact;
  readonly spec: KustomizationSpec;
  /** Absent: nothing is decrypted. */
  readonly keys?: SopsKeys | undefined;
  /** Whose build it is. */
  readonly lane: string;
  readonly signal: AbortSignal;
}

/** What kustomize made of a folder of a source. */
export interface BuiltManifests {
  /** Digest of source, folder, keys and what the spec adds: the same one always builds the same. */
  readonly key: string;
  readonly text: string;
  /** The kustomization file says in so many words that there is nothing. */
  readonly saysEmpty: boolean;
  /** Values that were decrypted: no message shows them. */
  readonly secrets: readonly string[];
  /** The manifests of Namespaces as built without targetNamespace; absent if targetNamespace renames none. */
  readonly namespaces?: string;
}

export type BuildOutcome = BuiltManifests | BuildProblem;
export type Build = (request: BuildRequest) => Promise<BuildOutcome>;

/** Of the texts that builds gave. */
const BYTES_KEPT = 48 * 1024 * 1024;
/** What the files are refused for is kept, too: it does not change by itself. */
const PROBLEM_BYTES = 4 * 1024;
/** kustomize quotes files. */
const WITHHELD = 'why is withheld, because it may quote decrypted files: build the folder where you can decrypt them';
const BUILT_FROM = [
  ...(['path', 'targetNamespace', 'namePrefix', 'nameSuffix', 'patches', 'images', 'components'] as const),
  ...(['ignoreMissingComponents', 'buildMetadata', 'untilNamespace'] as const),
];
/** kustomize reports this if two objects get the same name because of their new namespace. */
const ID_CONFLICT = 'namespace transformation produces ID conflict';

function sizeOf(outcome: BuildOutcome): number {
  if (!('text' in outcome)) return PROBLEM_BYTES;
  return Buffer.byteLength(outcome.text) + outcome.secrets.reduce((sum, { length }) => sum + length, 0);
}

type Order = Omit<BuildRequest, 'artifact' | 'spec'> & { readonly spec: BuildSpec; readonly key: string };

async function buildIn(
  { offload, ...tool }: BuildDependencies,
  { root, target }: { readonly root: string; readonly target: string },
  { spec, keys, lane, signal, key }: Order,
): Promise<BuildOutcome> {
  const question = { root, target, spec: pick(spec, BUILT_FROM), keys };
  const prepared = await prepareAside(offload, question, { key, lane });
  if ('problem' in prepared) return prepared;
  // Which files are read was decided above: Flux, too, lets a patch lie outside of the folder that refers to it.
  const args = ['--load-restrictor=LoadRestrictionsNone'];
  const built = await kustomizeBuild(tool, join(target, prepared.folder), { signal, args, root: target });
  if ('problem' in built) {
    return {
      problem: `kustomize build failed: ${prepared.isDecrypted ? WITHHELD : built.problem}`,
      reason: 'BuildFailed',
      isMomentary: true,
      ...(built.problem.includes(ID_CONFLICT) ? { namesMeet: true } : {}),
    };
  }
  return { key, text: built.output, saysEmpty: prepared.saysEmpty, secrets: prepared.secrets };
}

async function buildOnce(deps: BuildDependencies, root: string, order: Order): Promise<BuildOutcome> {
  const { path: target, dispose } = await deps.store.scratch('kustomization');
  try {
    return await buildIn(deps, { root, target }, order);
  } finally {
    await dispose();
  }
}

/** Builds without targetNamespace. If that fails, it leaves out what may refer to objects by their new namespace. */
async function buildUnmoved(deps: BuildDependencies, root: string, order: Order): Promise<BuildOutcome> {
  const spec = omit(order.spec, 'targetNamespace');
  const unmoved = await buildOnce(deps, root, { ...order, spec, key: `${order.key} unmoved` });
  if ('text' in unmoved) return unmoved;
  const key = `${order.key} until its namespace`;
  return buildOnce(deps, root, { ...order, spec: { ...spec, untilNamespace: true }, key });
}

/** Builds, and adds the original names of Namespaces that targetNamespace may have renamed. */
async function buildNamed(deps: BuildDependencies, root: string, order: Order): Promise<BuildOutcome> {
  const built = await buildOnce(deps, root, order);
  const { targetNamespace } = order.spec;
  if (targetNamespace === undefined) return built;
  const isAsked = 'text' in built ? printsNamespace(built.text, targetNamespace) : built.namesMeet === true;
  if (!isAsked) return built;
  const unmoved = await buildUnmoved(deps, root, order);
  if ('text' in unmoved) return { ...built, namespaces: namespaceManifests(unmoved.text) };
  if ('problem' in built) return built;
  return { ...unmoved, problem: `cannot tell how the files name their Namespaces: ${unmoved.problem}` };
}

/**
 * Builds folders of sources by the real kustomize; what it built once is kept, up to 48 MiB, and a source is unpacked
 * once for all its folders. Throws LostArtifactError
 * where the store has lost the source, TerminalError `ArchiveInvalid` | `ArchiveTooLarge`, and what `run` throws.
 */
export function createBuild(deps: BuildDependencies): Build {
  const kept = createLru<BuildOutcome>(BYTES_KEPT, sizeOf);
  const unpacked = createUnpackedArtifacts(deps.store);
  return async ({ artifact, ...request }) => {
    const key = digestOf([
      artifact.digest,
      pick<BuildSpec, keyof BuildSpec>(request.spec, BUILT_FROM),
      request.keys ?? null,
    ]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const outcome = await unpacked.use(artifact, (root) => buildNamed(deps, root, { ...request, key }));
    if (!('isMomentary' in outcome)) kept.set(key, outcome);
    return outcome;
  };
}
