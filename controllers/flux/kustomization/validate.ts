import { healthRulesOf, type HealthRules } from '../../engine/health/expressions.js';
import { TerminalError } from '../../runtime/pure/errors.js';
import type { Pass } from './deps.js';
import { findViolation } from './model/validate.js';

/** Rules that the spec contains as text, compiled. */
export interface Valid {
  readonly healthRules: HealthRules;
}

/** Throws TerminalError for the first violation of the spec, before anything is done. */
export function validate({ kustomization, settings }: Pick<Pass, 'kustomization' | 'settings'>): Valid {
  const violation = findViolation(kustomization, settings);
  if (violation !== undefined) throw new TerminalError(violation.reason, violation.message);
  return { healthRules: healthRulesOf(kustomization.spec.healthCheckExprs ?? []) };
}
