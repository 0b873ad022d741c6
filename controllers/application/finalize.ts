import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { APPLICATION_FINALIZER, APPLICATION_UID_LABEL, FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { applicationOwners, deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { listAll } from '#runtime/client/kube.js';
import { ConflictError, isNotFound } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { patchVersion } from './apply.js';
import { clusterValues, clusterView } from './clusters.js';
import type { Pass } from './deps.js';
import { BY_OWNER } from './mappings.js';
import { BACKENDS, hasBackend } from './model/backends/index.js';
import type { Backend } from './model/backends/types.js';
import { indexClusters } from './model/child/cluster.js';
import { engineOf } from './model/spec/flux-spec.js';
import { describeChild } from './model/child/messages.js';
import { disowned, isOwned } from './model/child/metadata.js';
import { isTerminating } from './model/children/state.js';
import type { Child } from './model/child/types.js';
import type { Plan } from './model/decide.js';
import { decideDeletion, type DeletionView } from './model/decide-deletion.js';

async function dropFinalizer({ metadata }: Application, { kube, signal }: Pass): Promise<void> {
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== APPLICATION_FINALIZER);
  const body = { metadata: { resourceVersion: metadata.resourceVersion, finalizers } };
  await kube.patch(applicationResource, metadata, { type: 'merge', body }, { fieldManager: FIELD_MANAGER, signal });
}

/** Children that we created or adopted; none if the kind is not served. */
async function labelledChildren(
  { resource }: Backend,
  { metadata }: Application,
  { kube, signal }: Pass,
): Promise<Child[]> {
  const labelSelector = `${APPLICATION_UID_LABEL}=${metadata.uid ?? ''}`;
  const query = { namespace: metadata.namespace, labelSelector, signal };
  try {
    const { items } = await listAll<Child>(kube, resource, query);
    return items;
  } catch (error: unknown) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/**
 * Read from the server: the cache may not contain the newest child yet. Those of ks-devops, without our label, are old:
 * the cache contains them.
 */
async function ownedChildren(application: Application, pass: Pass): Promise<Child[]> {
  const { uid } = application.metadata;
  const labelled: Child[] = [];
  for (const backend of BACKENDS) labelled.push(...(await labelledChildren(backend, application, pass)));
  const known = pass.children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata)));
  const others = known.filter(({ metadata }) => metadata.labels?.[APPLICATION_UID_LABEL] !== uid);
  return [...labelled, ...others].filter((child) => isOwned(child, application));
}

/**
 * Removes the owner reference, so that the child is not garbage-collected with the Application. If the policy changed
 * after garbage collection began, it also suspends the child, so that the engine uninstalls nothing.
 */
async function orphan(child: Child, application: Application, pass: Pass): Promise<void> {
  const { uid } = application.metadata;
  const isCollected = isTerminating(child) && applicationOwners(child).some((owner) => owner.uid === uid);
  const suspension = isCollected ? { spec: { suspend: true } } : {};
  await patchVersion(child, { metadata: disowned(child, uid), ...suspension }, pass);
}

/** Reads the children again afterwards: if one still has an owner reference, the reconciliation is repeated. */
async function orphanChildren(application: Application, children: readonly Child[], pass: Pass): Promise<void> {
  for (const child of children) await orphan(child, application, pass);
  const left = await ownedChildren(application, pass);
  if (left.length > 0) throw new ConflictError(`${left.map(describeChild).join(', ')} still has an owner reference`);
}

/**
 * False where the finalizer is that of ks-devops, whose controller waits for the deletion of the Argo CD Application.
 */
function isHeldByUs(application: Application): boolean {
  const engine = engineOf(application);
  const isHeld = application.metadata.finalizers?.includes(APPLICATION_FINALIZER) === true;
  return isHeld && (engine === undefined || hasBackend(engine));
}

function viewOf({ metadata: { namespace = '' } }: Application, children: readonly Child[], pass: Pass): DeletionView {
  const ids = children.flatMap(clusterValues);
  const clusters = indexClusters(clusterView(pass.inventory), ids, namespace);
  return { clusters, isEngineExternal: pass.rules.isEngineExternal };
}

/**
 * Plans the deletion of the children. If none is left, or after they were orphaned, it removes the finalizer, and there
 * is no plan.
 */
export async function finalize(application: Application, pass: Pass): Promise<Plan | undefined> {
  if (!isHeldByUs(application)) return undefined;
  const children = await ownedChildren(application, pass);
  if (deletionPolicyOf(application) === 'Orphan') await orphanChildren(application, children, pass);
  else if (children.length > 0) {
    return decideDeletion(application, children, viewOf(application, children, pass), pass.rules.policy);
  }
  await dropFinalizer(application, pass);
  return undefined;
}
