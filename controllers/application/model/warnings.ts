import type { Application } from '#api/v1alpha1/application.js';
import { backendFor } from './backends/index.js';

/**
 * What the user should know beside whatever Ready says: fields that are given in vain. `application` is the one with its
 * templates laid under its entries, `others` what else is to be said. Never throws.
 */
export function warningsOf(application: Application, ...others: readonly (string | undefined)[]): string | undefined {
  const warnings = [...others, backendFor(application).warning(application)].filter((each) => each !== undefined);
  return warnings.length === 0 ? undefined : warnings.join('; ');
}
