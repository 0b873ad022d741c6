import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { RevisionContent } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import type { Cache, SetupContext } from '#runtime/controller.js';
import { createLru, type Lru } from '#lib/lru.js';
import { BY_OWNER, ownerKeys } from './mappings.js';

/** Contents that were read; their objects never change. */
const CACHED_BYTES = 64 * 1024 * 1024;

interface CachedContent {
  readonly content: RevisionContent | undefined;
  readonly size: number;
}

/** The histories of all Applications. */
export interface History {
  /** Metadata only. */
  readonly kept: Cache<KubeObject>;
  /** By UID. */
  readonly contents: Lru<CachedContent>;
}

/** Requests the cache during setup. */
export function historyOf(context: Pick<SetupContext, 'cache'>): History {
  return {
    kept: context.cache(controllerRevisionResource, {
      metadataOnly: true,
      labelSelector: APPLICATION_REVISION,
      indexes: { [BY_OWNER]: ownerKeys },
    }),
    contents: createLru<CachedContent>(CACHED_BYTES, ({ size }) => size),
  };
}
