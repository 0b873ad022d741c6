import type { Unstructured } from '#api/meta.js';
import { ignoredPaths, type IgnoredPath } from '../../engine/drift/model/ignored-paths.js';
import { healthRulesOf, type HealthRules } from '../../engine/health/expressions.js';
import { TerminalError } from '../../runtime/pure/errors.js';
import { compileIgnoreRules } from '../shared/ignore-rules.js';
import type { Pass } from './pass.js';
import { findViolation } from './model/validate.js';

/** Rules that the spec contains as text, compiled. */
export interface Valid {
  readonly healthRules: HealthRules;
  readonly ignored: (object: Unstructured) => readonly IgnoredPath[] | undefined;
}

/** Throws TerminalError for the first violation of the spec, before anything is done. */
export function validate({ kustomization, settings }: Pick<Pass, 'kustomization' | 'settings'>): Valid {
  const violation = findViolation(kustomization, settings);
  if (violation !== undefined) throw new TerminalError(violation.reason, violation.message);
  const { healthCheckExprs = [], ignore = [] } = kustomization.spec;
  const where = { field: 'spec.ignore', reason: 'ReconciliationFailed' };
  return {
    healthRules: healthRulesOf(healthCheckExprs),
    ignored: compileIgnoreRules(ignore, where, ignoredPaths),
  };
}
