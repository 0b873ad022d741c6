import { healthRulesOf, type HealthRules } from '../../engine/health/expressions.js';
import { TerminalError } from '../../runtime/pure/errors.js';
import { requireDependencies } from '../shared/dependencies.js';
import { namespaceWish } from '../shared/model/namespace-metadata.js';
import type { Pass } from './pass.js';
import { ignoreRules } from './ignore-rules.js';
import { looksForDrift } from './model/drift.js';
import { findViolation } from './model/validate.js';

/** Rules that the spec contains as text, compiled. */
export interface Valid {
  readonly healthRules: HealthRules;
}

/**
 * Throws TerminalError for the first violation of the spec, before anything is done, and WaitingError while a dependency
 * is not ready.
 */
export function validate({ release, releases, settings }: Pass): Valid {
  const violation = findViolation(release);
  if (violation !== undefined) throw new TerminalError(violation.reason, violation.message);
  namespaceWish(release);
  if (looksForDrift(release.spec)) ignoreRules(release.spec);
  const healthRules = healthRulesOf(release.spec.healthCheckExprs ?? []);
  requireDependencies(settings, releases, release);
  return { healthRules };
}
