import { controllerRevisionResource } from '../../api/core.js';
import { REVISION_OF_LABEL } from '../../api/v1alpha1/labels.js';
import type { Template, TemplateRevision } from '../../api/v1alpha1/template.js';
import { listAll } from '../runtime/kube.js';
import type { Pass } from './context.js';
import { BY_TEMPLATE, BY_TEMPLATE_IN_USE, templateIndexValue } from './mappings.js';
import { isRevisionOf } from './model/revisions.js';
import { usageOf, type Usage } from './model/usage.js';

/** All that a pass knows, read at once from caches. */
export interface Observed {
  readonly template: Template;
  readonly revisions: readonly TemplateRevision[];
  readonly usage: Usage;
}

export function observe(template: Template, { applications, revisions }: Pass): Observed {
  const value = templateIndexValue(template.kind, template.metadata);
  const users = applications.byIndex(BY_TEMPLATE_IN_USE, value);
  const kept = revisions.byIndex(BY_TEMPLATE, value).filter((each) => isRevisionOf(each, template));
  return { template, revisions: kept, usage: usageOf(template, users) };
}

/**
 * Read from the server: the cache may not have heard of the last revision yet, and a number must not be given twice.
 */
export async function readRevisions(template: Template, { kube, signal }: Pass): Promise<TemplateRevision[]> {
  const query = {
    namespace: template.metadata.namespace,
    labelSelector: `${REVISION_OF_LABEL}=${template.kind}`,
    signal,
  };
  const { items } = await listAll<TemplateRevision>(kube, controllerRevisionResource, query);
  return items.filter((each) => isRevisionOf(each, template));
}
