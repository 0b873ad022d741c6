import type { Application } from '../../api/v1alpha1/application.js';
import type { Pass } from './context.js';
import { entriesOf } from './model/entries.js';
import type { Judgement, Sound } from './model/claims.js';
import { resolveTemplates, type Resolved } from './model/template-use.js';
import type { Entry, Violation } from './model/types.js';
import { findViolation } from './model/validate.js';
import { valuesFlaws, valuesQuestion } from './model/values-check.js';
import { templateView } from './templates.js';

type Surroundings = Pick<Pass, 'checkSchema' | 'templates' | 'rules'>;

/** By the path of an entry: what its values have against the schema of its template. */
async function findInvalidValues(
  entries: readonly Entry[],
  { application, helm }: Resolved,
  { checkSchema }: Surroundings,
): Promise<ReadonlyMap<string, Violation>> {
  const question = valuesQuestion(entries, helm);
  if (question === undefined || helm === undefined) return new Map();
  return valuesFlaws(entries, helm, await checkSchema(question, application.metadata.namespace ?? ''));
}

async function soundOf(resolved: Resolved, surroundings: Surroundings): Promise<Sound> {
  const entries = entriesOf(resolved.application).map((entry) => ({ ...entry, template: resolved.templateOf(entry) }));
  const invalid = await findInvalidValues(entries, resolved, surroundings);
  return { resolved, entries, flawOf: ({ path }) => resolved.flaws.get(path) ?? invalid.get(path) };
}

/** What an Application comes to, all by itself: whatever runs, and whoever else wants the same. */
export async function judge(application: Application, surroundings: Surroundings): Promise<Judgement> {
  const { rules, templates } = surroundings;
  const violation = findViolation(application, rules);
  if (violation !== undefined) return { violation };
  const resolved = resolveTemplates(application, templateView(templates), rules);
  return resolved === 'pending' || 'violation' in resolved ? resolved : soundOf(resolved, surroundings);
}
