import type { Artifact } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { masked } from '#engine/flux/model/masks.js';
import { TerminalError } from '#lib/errors.js';
import { createBuild, type BuildDependencies } from './build.js';
import { decide } from './model/decide.js';
import { isIgnored } from './model/objects.js';
import { buildManifests, type ScopedKinds } from './observe.js';
import { validate } from './validate.js';

/** A Kustomization, and what takes the place of its clusters. */
export interface OfflineKustomization {
  readonly kustomization: Kustomization;
  /** Of its source, in the store. */
  readonly artifact: Artifact;
  /** Has the ConfigMaps and Secrets that it names. */
  readonly kube: Pick<Kube, 'get'>;
  readonly member: ScopedKinds;
  readonly signal: AbortSignal;
}

export type RenderKustomization = (order: OfflineKustomization) => Promise<readonly Unstructured[]>;

const SETTINGS = { allowCrossNamespace: true, dependencyRequeueMs: 0 };

/**
 * Builds the objects that the first synchronization applies, in its order, without the cluster. Throws what ends a
 * reconciliation, and TerminalError with what is wrong with the source.
 */
export function createRenderKustomization(tools: BuildDependencies): RenderKustomization {
  const build = createBuild(tools);
  return async ({ kustomization, artifact, kube, member, signal }) => {
    validate({ kustomization, settings: SETTINGS });
    const { offload } = tools;
    const context = { member, signal };
    const manifests = await buildManifests({
      ...{ kustomization, artifact, kube, build, offload, context, signal },
      settings: SETTINGS,
    });
    const { decision } = decide({ kustomization, artifact, manifests, isWatched: false });
    if (decision.kind === 'apply') return decision.objects.filter((object) => !isIgnored(object));
    const secrets = manifests.kind === 'reject' ? [] : manifests.secrets;
    throw new TerminalError(decision.reason, masked(decision.message, secrets));
  };
}
