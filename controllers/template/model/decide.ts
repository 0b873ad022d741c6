import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import { planRevisions, type RevisionPlan } from './revisions.js';
import type { Usage } from './usage.js';
import type { Violation } from './validate.js';

/** All that a pass decides from. */
export interface Observed {
  readonly template: Template;
  /** Why it cannot be used, if so. */
  readonly violation: Violation | undefined;
  readonly revisions: readonly TemplateRevision[];
  readonly usage: Usage;
}

/** What a pass is about to do to the history of a template, and what its status follows from. */
export interface Plan extends Omit<RevisionPlan, 'revision'> {
  readonly template: Template;
  readonly violation: Violation | undefined;
  /** Number of the newest valid revision afterwards. */
  readonly revision: number | undefined;
  readonly usage: Usage;
}

/** A template that cannot be used keeps its history, and its users what they run. Never throws. */
export function decide({ template, violation, revisions, usage }: Observed): Plan {
  const history: Pick<Plan, 'create' | 'remove' | 'revision'> =
    violation === undefined
      ? planRevisions(template, revisions, usage.revisions)
      : { remove: [], revision: template.status?.revision };
  return { template, violation, usage, ...history };
}

/** True when the history is as it should be. */
export function isKept({ create, remove }: Plan): boolean {
  return create === undefined && remove.length === 0;
}
