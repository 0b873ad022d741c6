import type { Application } from '#api/v1alpha1/application.js';
import type { Engine } from '../spec/flux-spec.js';
import { helmRelease } from './helm-release.js';
import { kustomization } from './kustomization.js';
import type { Backend } from './types.js';

/** All kinds of children. */
export const BACKENDS: readonly Backend[] = [helmRelease, kustomization];

const BY_KIND: ReadonlyMap<string, Backend> = new Map(BACKENDS.map((backend) => [backend.kind, backend]));

/** The backend of a child or of its release. Throws for other kinds. */
export function backendOf({ kind }: { readonly kind: string }): Backend {
  const backend = BY_KIND.get(kind);
  if (backend === undefined) throw new Error(`no backend has children of kind ${kind}`);
  return backend;
}

/** The backend of an Application; the first one if it has no entries. */
export function backendFor(application: Application): Backend {
  return BACKENDS.find(({ isAsked }) => isAsked(application)) ?? helmRelease;
}

/** True if Applications of this engine have a backend. */
export function hasBackend(engine: Engine | undefined): boolean {
  return BACKENDS.some((backend) => backend.engine === engine);
}
