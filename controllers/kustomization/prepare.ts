import type { Artifact } from '#api/flux/common.js';
import { externalArtifactResource } from '#api/flux/external-artifact.js';
import { WaitingError } from '#lib/errors.js';
import type { ClusterContext } from '#engine/flux/objects.js';
import { requireDependencies } from '#engine/flux/dependencies.js';
import { newsOf } from '#engine/flux/model/news.js';
import type { EndedBy } from '#engine/health/wait.js';
import { preparing } from '#engine/flux/model/progress.js';
import { targetCluster } from '#engine/flux/target-cluster.js';
import { FIELD_MANAGER, type Pass, momentOf } from './pass.js';
import { staleDependency, sourceOf, type Source } from './model/sources.js';
import { retryMs } from './model/timing.js';
import type { Valid } from './validate.js';

/** Milliseconds after which a reconciliation that has written nothing reports that it is preparing. */
const SILENCE_MS = 1_000;

/** A reconciliation whose source and target cluster are known. */
export interface SyncPass extends Pass, Valid {
  readonly artifact: Artifact;
  readonly context: ClusterContext;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Why nobody waits for objects any more; see `WaitRequest`. */
  readonly endedBy: EndedBy;
}

/** What a source offers. */
interface Published {
  readonly source: Source;
  readonly artifact: Artifact;
}

function knownSource({ sources, kustomization }: Pass): Source | undefined {
  const { metadata, spec } = kustomization;
  const { kind, name, namespace = metadata.namespace } = spec.sourceRef;
  return sources.get(kind)?.get({ name, namespace });
}

/** The source and its artifact. Throws WaitingError `ArtifactFailed`. */
function publishedBySource(pass: Pass): Published {
  const { settings, kustomization } = pass;
  const source = knownSource(pass);
  const shown = sourceOf(kustomization);
  if (source === undefined) {
    const message = `source '${shown}' not found: create it, or correct spec.sourceRef`;
    throw new WaitingError('ArtifactFailed', message, { retryAfterMs: retryMs(kustomization.spec) });
  }
  const { artifact } = source.status ?? {};
  if (artifact !== undefined) return { source, artifact };
  const retryAfterMs = settings.dependencyRequeueMs;
  throw new WaitingError('ArtifactFailed', `source '${shown}' has no artifact yet`, { retryAfterMs });
}

/** The artifact in the store. Throws TransientError `ArtifactFailed`. */
function fetched({ fetchExternal, signal }: Pass, { source, artifact }: Published): Promise<Artifact> | Artifact {
  return source.kind === externalArtifactResource.kind ? fetchExternal(source, artifact, signal) : artifact;
}

/** Reports a new generation whose build takes long as progressing, in Flux's words. */
function reportPreparing(pass: Pass): void {
  const beyond = ['DependencyNotReady', 'ArtifactFailed'];
  pass.status.sayLater((current) => preparing(current, momentOf(pass), beyond), SILENCE_MS);
}

/**
 * Gathers what a synchronization needs: the artifact of the source, the dependencies, the target cluster. Throws
 * WaitingError while the source or a dependency is not ready.
 */
export async function prepare(pass: Pass, valid: Valid): Promise<SyncPass> {
  const { kustomization, kustomizations, settings, signal } = pass;
  const published = publishedBySource(pass);
  requireDependencies(settings, kustomizations, kustomization, (dependency) =>
    staleDependency(kustomization, dependency, published.artifact.revision),
  );
  reportPreparing(pass);
  const startedAt = performance.now();
  const artifact = await fetched(pass, published);
  const member = await targetCluster(pass, kustomization, signal);
  // Namespaced objects without a namespace are rejected: nothing is applied to a place that nobody named.
  const context = { member, fieldManager: FIELD_MANAGER, namespace: '', signal };
  const endedBy: EndedBy = (wait) =>
    newsOf(
      { object: kustomization, artifact: published.artifact },
      { object: kustomizations.get(kustomization.metadata), source: knownSource(pass) },
      wait,
    );
  return { ...pass, ...valid, artifact, context, startedAt, endedBy };
}
