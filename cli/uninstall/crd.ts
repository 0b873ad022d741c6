import { crdResource } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { mayDelete } from '#engine/deletion/rule.js';
import type { Kube } from '#runtime/client/kube.js';
import { ConflictError, isNotFound } from '#lib/errors.js';
import { isOurs } from '../install/crd-rules.js';
import type { Crd } from '../install/crds.js';
import { letGo, ownedChildren, type Removing } from '../install/release.js';
import { counted } from './purge-plan.js';

export function isApplications({ spec }: Crd): boolean {
  return spec.group === applicationResource.group && spec.names.plural === applicationResource.plural;
}

async function deleteCrd(kube: Kube, { metadata: { name, uid, resourceVersion } }: Crd): Promise<void> {
  try {
    await kube.delete(crdResource, { name }, { uid, resourceVersion });
  } catch (error: unknown) {
    if (!(error instanceof ConflictError)) throw error;
    throw new Error(`CRD ${name} stays: it was changed during its removal; repeat`, { cause: error });
  }
}

/**
 * Removes a CRD with its objects, and says what became of it. Somebody else may have replaced it since the user agreed:
 * then it stays, with its objects unchanged.
 */
export async function removeCrd(removing: Removing, planned: Crd): Promise<string> {
  const { kube, signal } = removing;
  const { name, uid } = planned.metadata;
  const crd = await kube.get<Crd>(crdResource, { name });
  if (crd === undefined) return `CRD ${name} was already removed`;
  if (!isOurs(crd) || crd.metadata.uid !== uid) return `CRD ${name} left: somebody replaced it in the meantime`;
  const dependants = isApplications(crd) ? (await ownedChildren(kube)).length : 0;
  const { allowed, why } = mayDelete({ subject: 'crd', intent: 'purge', isOurs: true, dependants });
  if (!allowed) {
    throw new Error(
      `CRD ${name} stays: ${why}. Something restored the owner references: stop that controller, then repeat`,
    );
  }
  const count = await letGo(removing, crd).catch((error: unknown) => {
    if (isNotFound(error)) return 0;
    throw error;
  });
  signal.throwIfAborted();
  await deleteCrd(kube, crd);
  return `CRD ${name} removed, with ${counted(count, 'object')}`;
}
