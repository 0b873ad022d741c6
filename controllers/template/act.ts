import { controllerRevisionResource } from '#api/core.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import type { Pass } from './deps.js';
import type { Plan } from './model/decide.js';

/** Makes the revision that is missing and removes those that are too old. */
export async function act({ create, remove }: Plan, { kube, signal }: Pass): Promise<void> {
  if (create !== undefined) {
    await kube.create(controllerRevisionResource, create, { fieldManager: FIELD_MANAGER, signal });
  }
  for (const { metadata } of remove) {
    await kube.delete(controllerRevisionResource, metadata, { uid: metadata.uid, signal });
  }
}
