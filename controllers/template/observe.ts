import { controllerRevisionResource } from '#api/core.js';
import { REVISION_OF_LABEL } from '#api/v1alpha1/labels.js';
import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import { listAll } from '#runtime/client/kube.js';
import type { Pass } from './deps.js';
import { BY_TEMPLATE, BY_TEMPLATE_IN_USE, templateIndexValue } from './mappings.js';
import { decide, isKept, type Observed } from './model/decide.js';
import { isRevisionOf } from './model/revisions.js';
import { usageOf } from './model/usage.js';
import { findViolation, helmSpecOf, type Violation } from './model/validate.js';

/** Why the JSON schema of a template cannot be used: it is none, or even no values at all are too much for it. */
async function schemaProblemOf(template: Template, { checkSchema }: Pass): Promise<string | undefined> {
  const schema = helmSpecOf(template)?.valuesSchema;
  if (schema === undefined) return undefined;
  const result = await checkSchema({ schema, values: [{}] }, template.metadata.namespace ?? '');
  return 'problem' in result ? result.problem : undefined;
}

/** The first thing that keeps a template from being used. */
async function validate(template: Template, pass: Pass): Promise<Violation | undefined> {
  return findViolation(template, { ...pass.rules, schemaProblem: await schemaProblemOf(template, pass) });
}

async function readRevisions(template: Template, { kube, signal }: Pass): Promise<TemplateRevision[]> {
  const query = {
    namespace: template.metadata.namespace,
    labelSelector: `${REVISION_OF_LABEL}=${template.kind}`,
    signal,
  };
  const { items } = await listAll<TemplateRevision>(kube, controllerRevisionResource, query);
  return items.filter((each) => isRevisionOf(each, template));
}

/**
 * All that a pass knows, from caches. Where the history would be changed it is read from the server: the cache may not
 * have heard of the last revision yet, and a number must not be given twice.
 */
export async function observe(template: Template, pass: Pass): Promise<Observed> {
  const violation = await validate(template, pass);
  const value = templateIndexValue(template.kind, template.metadata);
  const usage = usageOf(template, pass.applications.byIndex(BY_TEMPLATE_IN_USE, value));
  const revisions = pass.revisions.byIndex(BY_TEMPLATE, value).filter((each) => isRevisionOf(each, template));
  const cached = { template, violation, revisions, usage };
  return isKept(decide(cached)) ? cached : { ...cached, revisions: await readRevisions(template, pass) };
}
