import type { Ignored } from '#engine/drift/compare-object.js';
import { compileIgnoreRules } from '#engine/flux/ignore-rules.js';
import { optsOut } from './model/drift.js';
import type { HelmReleaseSpec } from './model/types.js';

/** The rules of `spec.driftDetection.ignore`, compiled. Throws TerminalError naming one that cannot be read. */
export function ignoreRules({ driftDetection }: HelmReleaseSpec): Ignored {
  const where = { field: 'spec.driftDetection.ignore', reason: 'ReconcileError' };
  const pathsOf = compileIgnoreRules(driftDetection?.ignore ?? [], where, (paths) => paths);
  return (object) => (optsOut(object.metadata) ? undefined : (pathsOf(object) ?? []));
}
