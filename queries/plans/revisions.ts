import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Application, ApplicationRevision } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { keptId, keptRevisions } from '#controllers/application/model/spec/history.js';
import { listAll, type Kube } from '#runtime/client/kube.js';

export interface Revision {
  readonly number: number;
  /** Number and digest. */
  readonly id: string;
  /** Metadata only. */
  readonly object: KubeObject;
}

/** The revisions that are kept of an Application, the newest first. */
export async function readRevisions(kube: Kube, application: Application, signal?: AbortSignal): Promise<Revision[]> {
  const { namespace } = application.metadata;
  const query = { namespace, labelSelector: APPLICATION_REVISION, metadataOnly: true, signal };
  const { items } = await listAll<KubeObject>(kube, controllerRevisionResource, query);
  return keptRevisions(application, items).map((each) => ({
    number: each.revision,
    id: keptId(each),
    object: each.object,
  }));
}

/** The whole object of a revision; undefined if it was removed meanwhile. */
export async function readRevision(
  kube: Kube,
  { object }: Revision,
  signal?: AbortSignal,
): Promise<ApplicationRevision | undefined> {
  return kube.get<ApplicationRevision>(controllerRevisionResource, object.metadata, { signal });
}
