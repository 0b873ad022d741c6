import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { doneText, requestPatch } from '#queries/views/request-patch.js';
import type { Requested } from '#queries/views/rollout-request.js';
import type { Kube } from '#runtime/client/kube.js';
import { retryConflicts } from '#runtime/client/retry-conflicts.js';
import { readApplication } from './read-application.js';

/** Of what users write by this program. */
export const FIELD_MANAGER = 'fairlead-cli';

export interface Annotating {
  readonly kube: Kube;
  readonly name: string;
  readonly namespace: string;
  /** The server checks what would be written, and writes nothing. */
  readonly dryRun: boolean;
}

/**
 * Asks an Application for something by its annotations, or a field, as it is at that moment. Returns what comes of it;
 * throws if there is nothing to ask for.
 */
export async function annotateApplication(
  { kube, name, namespace, dryRun }: Annotating,
  request: (application: Application) => Requested | Promise<Requested>,
): Promise<string> {
  return retryConflicts(async () => {
    const application = await readApplication(kube, name, namespace);
    const requested = await request(application);
    if ('refused' in requested) throw new Error(`Application ${namespace}/${name}: ${requested.refused}`);
    const patch = { type: 'merge' as const, body: requestPatch(application, requested) };
    await kube.patch(applicationResource, { name, namespace }, patch, { fieldManager: FIELD_MANAGER, dryRun });
    return doneText(`Application ${namespace}/${name}: ${requested.done}`, dryRun);
  });
}
