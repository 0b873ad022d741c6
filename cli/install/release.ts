import { FLUX_FINALIZER } from '../../api/flux/annotations.js';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import { APPLICATION_FINALIZER } from '../../api/v1alpha1/labels.js';
import { listAll, type Kube } from '../../controllers/runtime/kube.js';
import { ConflictError, isNotFound } from '../../controllers/runtime/pure/errors.js';
import type { Crd } from './crds.js';

/** The finalizers that only a running engine of ours would take off. */
const OUR_FINALIZERS: readonly string[] = [APPLICATION_FINALIZER, FLUX_FINALIZER];

function resourceOf(crd: Crd): ResourceType {
  const { group, names, scope, versions } = crd.spec;
  const [version] = versions;
  if (version === undefined) throw new Error(`CRD ${crd.metadata.name} has no version`);
  return { group, version: version.name, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' };
}

/** Finalizers without ours; undefined when there is nothing to take off. */
function otherFinalizers(object: KubeObject): string[] | undefined {
  const all = object.metadata.finalizers ?? [];
  const others = all.filter((finalizer) => !OUR_FINALIZERS.includes(finalizer));
  return others.length === all.length ? undefined : others;
}

/** The garbage collector may touch the object meanwhile: read again and repeat until it is gone or ours are off. */
async function letGoOf(kube: Kube, type: ResourceType, listed: KubeObject): Promise<void> {
  for (let object: KubeObject | undefined = listed; object !== undefined;) {
    const finalizers = otherFinalizers(object);
    if (finalizers === undefined) return;
    const body = { metadata: { resourceVersion: object.metadata.resourceVersion, finalizers } };
    try {
      await kube.patch(type, object.metadata, { type: 'merge', body });
      return;
    } catch (error: unknown) {
      if (!(error instanceof ConflictError) && !isNotFound(error)) throw error;
      object = await kube.get(type, listed.metadata);
    }
  }
}

/**
 * Takes our finalizers off every object of a CRD, so that the objects can go without anything being uninstalled.
 * Returns how many objects there are.
 */
export async function letGo(kube: Kube, crd: Crd): Promise<number> {
  const type = resourceOf(crd);
  const { items } = await listAll(kube, type);
  for (const object of items) await letGoOf(kube, type, object);
  return items.length;
}
