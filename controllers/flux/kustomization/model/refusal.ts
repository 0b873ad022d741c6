import type { Kustomization } from '#api/flux/kustomization.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';
import { clusterOf } from '../../shared/model/cluster.js';
import { foreignExpression, readyExpressions } from '../../shared/model/dependencies.js';

/** Why nothing comes of a Kustomization that is well otherwise, and the way out. */
export const NOT_SUPPORTED =
  'Kustomizations are not supported by the embedded engine: run Flux with its kustomize-controller (--engine=external)';

/**
 * Why a Kustomization is not reconciled: a mistake in its spec, as far as this engine reads it, comes first, for it has
 * to be fixed in any case.
 */
export function refusalOf(
  kustomization: Kustomization,
  { allowCrossNamespace }: { readonly allowCrossNamespace: boolean },
): TerminalError {
  const cluster = clusterOf(kustomization.spec);
  // A short-lived token is one more thing that only Flux can do.
  if (cluster.kind === 'unreadable' && cluster.reason === 'KubeConfigInvalid') {
    return new TerminalError(cluster.reason, cluster.problem);
  }
  const forbidden = allowCrossNamespace ? undefined : foreignExpression(kustomization);
  if (forbidden !== undefined) return new TerminalError('AccessDenied', forbidden);
  try {
    readyExpressions(kustomization);
  } catch (error: unknown) {
    if (error instanceof TerminalError) return error;
    throw error;
  }
  return new TerminalError('FeatureNotSupported', NOT_SUPPORTED);
}
