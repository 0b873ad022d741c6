import type { Template } from '#api/v1alpha1/template.js';
import type { Pass } from './deps.js';
import { findViolation, helmSpecOf, type Violation } from './model/validate.js';

/** Why the JSON schema of a template cannot be used: it is none, or even no values at all are too much for it. */
async function schemaProblemOf(template: Template, { checkSchema }: Pass): Promise<string | undefined> {
  const schema = helmSpecOf(template)?.valuesSchema;
  if (schema === undefined) return undefined;
  const result = await checkSchema({ schema, values: [{}] }, template.metadata.namespace ?? '');
  return 'problem' in result ? result.problem : undefined;
}

/** The first thing that keeps a template from being used. */
export async function validate(template: Template, pass: Pass): Promise<Violation | undefined> {
  return findViolation(template, { ...pass.rules, schemaProblem: await schemaProblemOf(template, pass) });
}
