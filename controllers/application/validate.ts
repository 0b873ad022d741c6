import type { Application } from '../../api/v1alpha1/application.js';
import type { Deps } from './deps.js';
import { resolve, validOf, type Validation } from './model/validate.js';
import { valuesViolations, valuesQuestion } from './model/values-check.js';
import { templateView } from './templates.js';

/** Validates an Application on its own, regardless of its children and of other Applications. */
export async function validate(application: Application, deps: Deps): Promise<Validation> {
  const { rules, templates, checkSchema } = deps;
  const resolved = resolve(application, templateView(templates), rules);
  if (resolved === 'pending' || 'violation' in resolved) return resolved;
  const valid = validOf(resolved);
  const { helm } = resolved;
  const question = valuesQuestion(valid.entries, helm);
  if (question === undefined || helm === undefined) return valid;
  const result = await checkSchema(question, application.metadata.namespace ?? '');
  return validOf(resolved, valuesViolations(valid.entries, helm, result));
}
