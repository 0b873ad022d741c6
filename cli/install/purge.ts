import { crdResource } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { mayDelete } from '#engine/deletion/rule.js';
import type { Kube } from '#runtime/client/kube.js';
import { ConflictError, isNotFound } from '#lib/errors.js';
import { isOurs } from './crd-rules.js';
import type { Crd } from './crds.js';
import { letGo, ownedChildren, type Removing } from './release.js';

/** The objects that a purge would remove from a cluster. */
export interface PurgePlan {
  /** Name of the context of the kubeconfig. */
  readonly context: string;
  /** URL of its API server. */
  readonly server: string;
  /** Namespaced name of the Deployment; absent if there is none of ours. */
  readonly controller?: string | undefined;
  /** Names of the CRDs that Fairlead installed, with the number of their objects; undefined where nobody knows it. */
  readonly crds: readonly { readonly name: string; readonly objects: number | undefined }[];
  /** Children of Applications, which lose their owner. */
  readonly detached: number;
}

/** `1 object`, `2 objects`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The plan as a user reads it before saying yes. */
export function purgeLines({ context, server, controller, crds, detached }: PurgePlan): string[] {
  return [
    `--purge removes from ${server} (context ${context}):`,
    ...(controller === undefined
      ? []
      : [`  Deployment ${controller}, its permissions, and its namespace unless others use it`]),
    ...crds.map(
      ({ name, objects }) =>
        `  CRD ${name} with ${objects === undefined ? 'all its objects' : counted(objects, 'object')}`,
    ),
    ...(detached === 0
      ? []
      : [
          `  the owner references of ${detached === 1 ? '1 HelmRelease or Kustomization' : `${detached} HelmReleases and Kustomizations`}`,
        ]),
    'Helm releases and their objects stay.',
  ];
}

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
