import omit from 'lodash/omit.js';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import { printJson } from '#lib/json/lossless-json.js';
import { artifactOwner } from '../deps.js';
import type { HelmChart } from '../model/source.js';
import { packAside } from '../pack-aside.js';
import { localChart, shownSource, type LocalSource, type LocalTools } from './chart.js';

const TIMEOUT_MS = 10_000;
const COMMIT = /^[0-9a-f]{40,64}$/;

/** The commit that a folder has checked out; undefined for one that is no checkout, or where there is no git. */
async function commitOf({ run }: LocalTools, folder: string, signal: AbortSignal): Promise<string | undefined> {
  const isCheckout = await stat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
  if (!isCheckout) return undefined;
  const options = { cwd: folder, timeoutMs: TIMEOUT_MS, signal };
  const said = await run('git', ['rev-parse', '--verify', 'HEAD'], options).catch(() => undefined);
  const commit = said?.stdout.trim() ?? '';
  return COMMIT.test(commit) ? `sha1:${commit}` : undefined;
}

/**
 * The files of a folder as the artifact of a GitRepository, a Bucket or an OCIRepository: without links, and without what
 * `.sourceignore` and `spec.ignore` leave out. Its revision is the commit of a GitRepository, else its digest. Throws
 * TransientError `ArchiveOperationFailed`.
 */
async function localTree(tools: LocalTools, source: LocalSource, signal: AbortSignal): Promise<Artifact> {
  const { kind, namespace, name, path: folder, ignore: specIgnore } = source;
  const packing = { revision: '', selection: folder, folder, specIgnore };
  const owner = artifactOwner({ kind, metadata: { name, namespace } });
  const artifact = await tools.store.put(owner, 'files.tar.gz', '', (file) =>
    packAside(tools.offload, { ...packing, file }, namespace),
  );
  const commit = kind === gitRepositoryResource.kind ? await commitOf(tools, folder, signal) : undefined;
  return { ...artifact, revision: commit ?? artifact.digest };
}

/** Sources that are charts, or have them, rather than files. */
const CHARTS_ONLY: readonly string[] = [helmRepositoryResource.kind, ociRepositoryResource.kind];

/** Artifacts of local files, each made once. Throws what localTree and localChart throw. */
export class LocalFiles {
  readonly #tools: LocalTools;
  readonly #signal: AbortSignal;
  readonly #made = new Map<string, Promise<Artifact>>();

  constructor(tools: LocalTools, signal: AbortSignal) {
    this.#tools = tools;
    this.#signal = signal;
  }

  /** All files of a source. */
  tree(source: LocalSource): Promise<Artifact> {
    return this.#once(`tree ${shownSource(source)}`, () => localTree(this.#tools, source, this.#signal));
  }

  /** The chart of a HelmChart; without one, the source is the chart. */
  chart(chart: HelmChart | undefined, source: LocalSource): Promise<Artifact> {
    // Many releases have the same chart.
    const key = printJson([shownSource(source), chart && omit(chart.spec, 'interval')]);
    return this.#once(`chart ${key}`, async () => {
      const tree = CHARTS_ONLY.includes(source.kind) ? undefined : await this.tree(source);
      return localChart(this.#tools, { chart, source, tree, signal: this.#signal });
    });
  }

  #once(key: string, make: () => Promise<Artifact>): Promise<Artifact> {
    const made = this.#made.get(key) ?? make();
    this.#made.set(key, made);
    return made;
  }
}
