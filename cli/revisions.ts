import { controllerRevisionResource } from '../api/core.js';
import type { Application } from '../api/v1alpha1/application.js';
import type { ApplicationRevision } from '../api/v1alpha1/application-revision.js';
import { APPLICATION_REVISION } from '../api/v1alpha1/labels.js';
import { keptRevisions } from '../controllers/application/model/revisions/history.js';
import { listAll, type Kube } from '../controllers/runtime/kube.js';

export interface Revision {
  readonly number: number;
  readonly object: ApplicationRevision;
}

/** The revisions that are kept of an Application, the newest first. */
export async function readRevisions(kube: Kube, application: Application, metadataOnly = false): Promise<Revision[]> {
  const query = { namespace: application.metadata.namespace, labelSelector: APPLICATION_REVISION, metadataOnly };
  const { items } = await listAll<ApplicationRevision>(kube, controllerRevisionResource, query);
  const byName = new Map(items.map((item) => [item.metadata.name, item]));
  return keptRevisions(application, items).flatMap(({ revision, object }) => {
    const found = byName.get(object.metadata.name);
    return found === undefined ? [] : [{ number: revision, object: found }];
  });
}
