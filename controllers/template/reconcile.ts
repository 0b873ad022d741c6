import { controllerRevisionResource } from '../../api/core.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import type { Template } from '../../api/v1alpha1/template.js';
import type { Result } from '../runtime/controller.js';
import { parseKey } from '../runtime/pure/keys.js';
import type { Pass } from './context.js';
import { planRevisions, type RevisionPlan } from './model/revisions.js';
import { findFault, helmSpecOf } from './model/validate.js';
import { observe, readRevisions, type Observed } from './observe.js';
import { writeStatus } from './record.js';

async function plan({ template, revisions, usage }: Observed, pass: Pass): Promise<RevisionPlan> {
  const cached = planRevisions(template, revisions, usage.revisions);
  if (cached.create === undefined && cached.remove.length === 0) return cached;
  return planRevisions(template, await readRevisions(template, pass), usage.revisions);
}

/** Makes the revision that is missing and removes those that are too old; gives the number of the newest one. */
async function keepHistory(observed: Observed, pass: Pass): Promise<number> {
  const { create, remove, revision } = await plan(observed, pass);
  const { kube, signal } = pass;
  if (create !== undefined) {
    await kube.create(controllerRevisionResource, create, { fieldManager: FIELD_MANAGER, signal });
  }
  for (const { metadata } of remove) {
    await kube.delete(controllerRevisionResource, metadata, { uid: metadata.uid, signal });
  }
  return revision;
}

/** Why the JSON schema of a template cannot be used: it is none, or even no values at all are too much for it. */
async function schemaFlawOf(template: Template, { checkSchema }: Pass): Promise<string | undefined> {
  const schema = helmSpecOf(template)?.valuesSchema;
  if (schema === undefined) return undefined;
  const verdict = await checkSchema({ schema, values: [{}] }, template.metadata.namespace ?? '');
  return 'flaw' in verdict ? verdict.flaw : undefined;
}

/** One pass over one template. A broken one keeps its history, and its users what they run. */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const template: Template | undefined = pass.templates.get(parseKey(key));
  if (template === undefined || template.metadata.deletionTimestamp !== undefined) return {};
  const observed = observe(template, pass);
  const fault = findFault(template, { ...pass.rules, schemaFlaw: await schemaFlawOf(template, pass) });
  const revision = fault === undefined ? await keepHistory(observed, pass) : template.status?.revision;
  await writeStatus(template, { fault, revision, usage: observed.usage }, pass);
  return {};
}
