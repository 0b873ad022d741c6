import type { KubeObject, ResourceType } from '#api/meta.js';
import { ConflictError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ProgressStatus } from './model/progress.js';
import type { KeptStatus } from './write-status.js';

/** The pass looked at something old, and noticed before it did anything. */
export class StaleReadError extends ConflictError {}

function stale({ kind, metadata }: KubeObject, cause?: unknown): StaleReadError {
  return new StaleReadError(`${kind} ${keyOf(metadata)} changed since it was cached`, { cause });
}

/** What a pass is about. */
export interface Read<Status extends ProgressStatus> {
  readonly kube: Kube;
  readonly type: ResourceType;
  /** As it was read from the cache. */
  readonly object: KubeObject;
  readonly status: Pick<KeptStatus<Status>, 'isOwn'>;
}

/**
 * A cache that is behind may lack what we wrote last: acting on it would act twice, or forget. Read once more before
 * the first action of a pass; an idle pass never gets here. Throws StaleReadError.
 */
export async function requireFreshRead<Status extends ProgressStatus>(
  { kube, type, object, status }: Read<Status>,
  signal: AbortSignal,
): Promise<void> {
  const live = await kube.get(type, object.metadata, { signal });
  if (live !== undefined && (await status.isOwn(live.metadata.resourceVersion))) return;
  throw stale(object);
}

/**
 * Writes the status before the first action of a pass, if the pass did not look at something old: like
 * `requireFreshRead`, in the same request where there is something to write. Throws StaleReadError.
 */
export async function writeFresh<Status extends ProgressStatus>(
  read: Read<Status> & { readonly status: Pick<KeptStatus<Status>, 'writeUnchanged'> },
  signal: AbortSignal,
): Promise<void> {
  const { object, status } = read;
  const isWritten = await status.writeUnchanged().catch((error: unknown) => {
    throw error instanceof ConflictError ? stale(object, error) : error;
  });
  if (!isWritten) await requireFreshRead(read, signal);
}
