import { join } from 'node:path';
import pick from 'lodash/pick.js';
import type { Artifact } from '#api/flux/common.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import { createUnpackedArtifacts } from '../../engine/artifact/unpacked.js';
import type { Offload } from '../../runtime/offload.js';
import { digestOf } from '../../runtime/pure/digest.js';
import { createLru } from '../../runtime/pure/lru.js';
import type { SopsKeys } from './model/sops/data-key.js';
import { kustomizeBuild, type KustomizeTool } from '../shared/kustomize-build.js';
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
  ...(['ignoreMissingComponents', 'buildMetadata'] as const),
];

function sizeOf(outcome: BuildOutcome): number {
  if (!('text' in outcome)) return PROBLEM_BYTES;
  return Buffer.byteLength(outcome.text) + outcome.secrets.reduce((sum, { length }) => sum + length, 0);
}

async function buildIn(
  { offload, ...tool }: BuildDependencies,
  { root, target }: { readonly root: string; readonly target: string },
  { spec, keys, lane, signal, key }: Omit<BuildRequest, 'artifact'> & { readonly key: string },
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
    };
  }
  return { key, text: built.output, saysEmpty: prepared.saysEmpty, secrets: prepared.secrets };
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
    const key = digestOf([artifact.digest, pick(request.spec, BUILT_FROM), request.keys ?? null]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const { path: target, dispose } = await deps.store.scratch('kustomization');
    try {
      const outcome = await unpacked.use(artifact, (root) => buildIn(deps, { root, target }, { ...request, key }));
      if (!('isMomentary' in outcome)) kept.set(key, outcome);
      return outcome;
    } finally {
      await dispose();
    }
  };
}
