import type { Artifact } from '#api/flux/common.js';
import { artifactOwner } from '../deps.js';
import { packAside } from '../pack-aside.js';
import type { LocalSource, LocalTools } from './types.js';

/**
 * The files of a folder as the artifact of a GitRepository, a Bucket or an OCIRepository: without links, and without what
 * `.sourceignore` and `spec.ignore` leave out. Its revision is its digest. Throws TransientError
 * `ArchiveOperationFailed`.
 */
export async function localTree({ store, offload }: LocalTools, source: LocalSource): Promise<Artifact> {
  const { kind, namespace, name, path: folder, ignore: specIgnore } = source;
  const packing = { revision: '', selection: folder, folder, specIgnore };
  const owner = artifactOwner({ kind, metadata: { name, namespace } });
  const artifact = await store.put(owner, 'files.tar.gz', '', (file) =>
    packAside(offload, { ...packing, file }, namespace),
  );
  return { ...artifact, revision: artifact.digest };
}
