import pLimit from 'p-limit';
import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { REVISION_OF_LABEL } from '#api/v1alpha1/labels.js';
import type { Template, TemplateRevision } from '#api/v1alpha1/template.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { newestFirst } from '#lib/kube/revision-history.js';
import { isRevisionOf } from '#controllers/template/model/revisions.js';

/** A template keeps ten, and those in use. Each is read by itself, so that others of the namespace cost nothing. */
const MOST = 50;
const AT_ONCE = 8;

/** RFC 3339, of one zone: texts in the order of time. */
function byCreation(one: KubeObject, other: KubeObject): number {
  const [before, after] = [one, other].map(({ metadata }) => metadata.creationTimestamp ?? '');
  return (before ?? '') > (after ?? '') ? -1 : 1;
}

/** The revisions that are kept of a template, the newest first: 50 at most. */
export async function readTemplateRevisions(
  kube: Kube,
  template: Template,
  signal?: AbortSignal,
): Promise<TemplateRevision[]> {
  const { namespace } = template.metadata;
  const query = { namespace, labelSelector: `${REVISION_OF_LABEL}=${template.kind}`, metadataOnly: true, signal };
  const { items } = await listAll<KubeObject>(kube, controllerRevisionResource, query);
  const own = items.filter((each) => isRevisionOf(each, template)).sort(byCreation);
  const limit = pLimit(AT_ONCE);
  const read = own
    .slice(0, MOST)
    .map(({ metadata }) => limit(() => kube.get<TemplateRevision>(controllerRevisionResource, metadata, { signal })));
  // One that is gone meanwhile is not kept.
  return newestFirst((await Promise.all(read)).flatMap((each) => each ?? []));
}
