import isEqual from 'lodash/isEqual.js';
import { isMap } from '#lib/plain.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject } from '#api/meta.js';
import { setCondition, timestamp } from '#lib/kube/conditions.js';
import type { MemoryServer } from './server.js';

const SOURCES = { actor: 'engine', manager: 'source-controller', subresource: 'status' } as const;

interface SourceStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Parameters<typeof setCondition>[0][number][];
  readonly artifact?: { readonly revision: string };
}

type Source = KubeObject & { readonly spec?: unknown; readonly status?: SourceStatus };

/** The commit that a GitRepository is at: the one that it names, or the newest of the branch. */
function revisionOf({ spec }: Source, head: string): string {
  const ref = isMap(spec) && isMap(spec['ref']) ? spec['ref'] : {};
  const { commit = head, branch = 'main' } = ref as { readonly commit?: string; readonly branch?: string };
  return `${branch}@sha1:${commit}`;
}

/** Plays the source controller: everything can be fetched. `head`: the newest commit of all repositories. */
export function fetchSources(server: MemoryServer, nowMs: number, head: string): void {
  for (const type of [gitRepositoryResource, helmRepositoryResource]) {
    for (const object of server.list(type)) {
      const source = object as Source; // users and controllers of this world write no other
      const { generation = 1, deletionTimestamp } = source.metadata;
      if (deletionTimestamp !== undefined) continue;
      const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored artifact' } as const;
      const next = { ...ready, observedGeneration: generation };
      const conditions = setCondition([...(source.status?.conditions ?? [])], next, timestamp(nowMs));
      const artifact = type === gitRepositoryResource ? { artifact: { revision: revisionOf(source, head) } } : {};
      const status = { observedGeneration: generation, conditions, ...artifact };
      if (isEqual(status, source.status)) continue;
      server.update(type, { ...source, status } as KubeObject, SOURCES);
    }
  }
}
