import { controllerRevisionResource } from '#api/core.js';
import type { Application, ApplicationRevision } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { keptRevisions } from '#controllers/application/model/spec/history.js';
import type { RevisionItem } from '#queries/answers/revisions.js';
import { listAll, type Kube, type RequestOptions } from '#runtime/client/kube.js';

/** Tenants write their metadata: a page has as many bytes as many of usual size need. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Those that are kept, the newest first; `kube` is the user's. */
export async function revisionsOf(
  kube: Kube,
  application: Application,
  { signal }: Pick<RequestOptions, 'signal'> = {},
): Promise<RevisionItem[]> {
  const { namespace } = application.metadata;
  const query = { namespace, labelSelector: APPLICATION_REVISION, metadataOnly: true, maxBytes: MAX_PAGE_BYTES };
  const { items } = await listAll<ApplicationRevision>(kube, controllerRevisionResource, { ...query, signal });
  return keptRevisions(application, items).map(({ revision, object: { metadata } }) => {
    return { revision, createdAt: metadata.creationTimestamp ?? '', object: metadata.name };
  });
}
