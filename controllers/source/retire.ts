import pLimit, { type LimitFunction } from 'p-limit';
import type { ResourceType } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { ConflictError, isNotFound } from '#lib/errors.js';
import type { Source } from './model/types.js';
import { FIELD_MANAGER } from './pass.js';
import { SOURCE_TYPES } from './types.js';

const AT_ONCE = 8;

export interface RetireOptions {
  readonly kube: Kube;
  /** Where this process served its artifacts. */
  readonly baseUrl: string;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  /** How long it may take. */
  readonly signal: AbortSignal;
}

/**
 * Removes the artifacts of this process from the status of their sources, so that another engine waits for its own
 * artifacts instead of requesting them from an address that is gone. Concurrent writes of others are kept. Returns the
 * number of sources.
 */
export async function retireArtifacts(options: RetireOptions): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const counts = await Promise.all(SOURCE_TYPES.map((type) => retireAll(type, options, limit)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function retireAll(type: ResourceType, options: RetireOptions, limit: LimitFunction): Promise<number> {
  const { kube, baseUrl, namespace, signal } = options;
  const items = await listAll<Source>(kube, type, { namespace, signal }).then(
    (list) => list.items,
    // A kind that is not served has no artifacts, and must not stop the others.
    (error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    },
  );
  const ours = items.filter(({ status }) => status?.artifact?.url.startsWith(`${baseUrl}/`) === true);
  await Promise.all(ours.map((source) => limit(() => retire(type, source, options))));
  return ours.length;
}

async function retire(type: ResourceType, { metadata }: Source, { kube, signal }: RetireOptions): Promise<void> {
  const body = { metadata: { resourceVersion: metadata.resourceVersion }, status: { artifact: null } };
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER, signal } as const;
  try {
    await kube.patch(type, metadata, { type: 'merge', body }, options);
  } catch (error: unknown) {
    if (!(error instanceof ConflictError) && !isNotFound(error)) throw error;
  }
}
