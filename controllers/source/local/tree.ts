import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { artifactOwner } from '../deps.js';
import { packAside } from '../pack-aside.js';
import type { LocalSource, LocalTools } from './types.js';

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
export async function localTree(tools: LocalTools, source: LocalSource, signal: AbortSignal): Promise<Artifact> {
  const { kind, namespace, name, path: folder, ignore: specIgnore } = source;
  const packing = { revision: '', selection: folder, folder, specIgnore };
  const owner = artifactOwner({ kind, metadata: { name, namespace } });
  const artifact = await tools.store.put(owner, 'files.tar.gz', '', (file) =>
    packAside(tools.offload, { ...packing, file }, namespace),
  );
  const commit = kind === gitRepositoryResource.kind ? await commitOf(tools, folder, signal) : undefined;
  return { ...artifact, revision: commit ?? artifact.digest };
}
