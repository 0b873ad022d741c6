import { applicationResource, type Application } from '../api/v1alpha1/application.js';
import type { AnnotationRequest, Requested } from '../controllers/read-model/rollout-request.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { defined } from '../controllers/runtime/pure/defined.js';
import { ConflictError } from '../controllers/runtime/pure/errors.js';
import { readApplication } from './read-application.js';

/** The controller writes the status meanwhile; nobody writes all the time. */
const ATTEMPTS = 10;
/** Of what users write by this program. */
export const FIELD_MANAGER = 'fairlead-cli';

export interface Annotating {
  readonly kube: Kube;
  readonly name: string;
  readonly namespace: string;
  /** The server checks what would be written, and writes nothing. */
  readonly dryRun: boolean;
}

async function writeOnce(
  { metadata }: Application,
  { annotations, spec }: AnnotationRequest,
  { kube, dryRun }: Annotating,
): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  const body = { metadata: { resourceVersion, annotations }, ...defined({ spec }) };
  await kube.patch(
    applicationResource,
    { name, namespace },
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER, dryRun },
  );
}

/**
 * Asks an Application for something by its annotations, or a field, as it is at that moment. Returns what comes of it; throws if
 * there is nothing to ask for.
 */
export async function annotateApplication(
  annotating: Annotating,
  request: (application: Application) => Requested | Promise<Requested>,
): Promise<string> {
  const { kube, name, namespace, dryRun } = annotating;
  for (let attempt = 1; ; attempt += 1) {
    const application = await readApplication(kube, name, namespace);
    const requested = await request(application);
    if ('refused' in requested) throw new Error(`Application ${namespace}/${name}: ${requested.refused}`);
    try {
      await writeOnce(application, requested, annotating);
      return `Application ${namespace}/${name}: ${requested.done}${dryRun ? ' (dry run: nothing is written)' : ''}`;
    } catch (error: unknown) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}
