import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { APPLICATION_FINALIZER, APPLICATION_UID_LABEL, FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import { mayDelete, type Verdict } from '../deletion/rule.js';
import type { Result } from '../runtime/controller.js';
import { listAll } from '../runtime/kube.js';
import { ConflictError, isNotFound, PartialError } from '../runtime/pure/errors.js';
import { keyOf } from '../runtime/pure/keys.js';
import { letGoAbandoned } from './abandon.js';
import { applySteps } from './apply.js';
import type { Pass } from './context.js';
import { BY_OWNER } from './mappings.js';
import { backendOf, BACKENDS, hasBackend } from './model/backends/index.js';
import type { Backend } from './model/backends/types.js';
import { abandonRemark, clusterOf, deletionPolicyOf, waitingMessage } from './model/deletion.js';
import { engineOf } from './model/engine.js';
import { heldBy } from './model/marks.js';
import { describeChild } from './model/messages.js';
import { disowned, isOwned } from './model/ownership.js';
import { leavingRow } from './model/rows.js';
import { announcements } from './model/transitions.js';
import type { Child, Step } from './model/types.js';
import { patchMetadata, tell, writeStatus } from './record.js';

/**
 * Holds an Application whose releases shall outlive it, before the first child exists: an Application that nothing
 * holds would leave children behind that still name it. Returns the Application as it is then.
 */
export async function holdForOrphans(application: Application, pass: Pass): Promise<Application> {
  const finalizers = heldBy(application);
  if (deletionPolicyOf(application) !== 'Orphan' || finalizers === undefined) return application;
  return patchMetadata(application, { finalizers }, pass);
}

async function dropFinalizer({ metadata }: Application, { kube, signal }: Pass): Promise<void> {
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== APPLICATION_FINALIZER);
  const body = { metadata: { resourceVersion: metadata.resourceVersion, finalizers } };
  await kube.patch(applicationResource, metadata, { type: 'merge', body }, { fieldManager: FIELD_MANAGER, signal });
}

/** Those that we made or took over; none where the kind is not served. */
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
 * Read from the server: the cache may not have heard of the last child yet. Those without our label, of ks-devops, are
 * old: the cache knows them.
 */
async function ownedChildren(application: Application, pass: Pass): Promise<Child[]> {
  const { uid } = application.metadata;
  const labelled: Child[] = [];
  for (const backend of BACKENDS) labelled.push(...(await labelledChildren(backend, application, pass)));
  const known = pass.children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata)));
  const others = known.filter(({ metadata }) => metadata.labels?.[APPLICATION_UID_LABEL] !== uid);
  return [...labelled, ...others].filter((child) => isOwned(child, application));
}

/** Before the Application goes: a child without owner reference is not collected with it. */
async function orphan(child: Child, application: Application, { kube, signal }: Pass): Promise<void> {
  const { uid } = application.metadata;
  const body = { metadata: { resourceVersion: child.metadata.resourceVersion, ...disowned(child, uid) } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await kube.patch(backendOf(child).resource, child.metadata, { type: 'merge', body }, options);
}

interface Finalization {
  readonly application: Application;
  readonly pass: Pass;
}

/** What the deletion rule says of a child of an Application that is being deleted. */
function verdictOf({ metadata, spec }: Child, application: Application): Verdict {
  return mayDelete({
    subject: 'child',
    intent: 'application',
    owned: true,
    isLeaving: metadata.deletionTimestamp !== undefined,
    complete: true,
    policy: deletionPolicyOf(application),
    isLeftover: false,
    leftoversMayGo: false,
    isSuspended: spec.suspend === true,
  });
}

async function deleteChildren(children: readonly Child[], { application, pass }: Finalization): Promise<void> {
  const steps = children.flatMap((live): Step[] => {
    const { allowed, why } = verdictOf(live, application);
    return allowed ? [{ op: 'delete', live, why }] : [];
  });
  tell(application, announcements(steps), pass);
  const outcomes = await applySteps(steps, pass);
  const failed = outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const errors = [...failed, ...(await letGoAbandoned(application, children, pass))];
  if (errors.length > 0) throw new PartialError(`cannot delete every child of ${application.metadata.name}`, errors);
}

/** A child of an old cache entry may have been written since: then the pass comes again with a newer one. */
async function orphanChildren(children: readonly Child[], { application, pass }: Finalization): Promise<void> {
  for (const child of children) await orphan(child, application, pass);
  const left = await ownedChildren(application, pass);
  if (left.length > 0) throw new ConflictError(`${left.map(describeChild).join(', ')} still has an owner reference`);
}

/**
 * The deletion pass: children go first (or are orphaned), the status says what it waits for, then the finalizer goes.
 */
export async function finalize(application: Application, pass: Pass): Promise<Result> {
  if (application.metadata.finalizers?.includes(APPLICATION_FINALIZER) !== true) return {};
  // The finalizer is that of ks-devops: its own controller holds the Application until the Argo Application is gone.
  const engine = engineOf(application);
  if (engine !== undefined && !hasBackend(engine)) return {};
  const children = await ownedChildren(application, pass);
  const finalization = { application, pass };
  if (deletionPolicyOf(application) === 'Orphan') {
    await orphanChildren(children, finalization);
  } else if (children.length > 0) {
    await deleteChildren(children, finalization);
    const lack = { reason: 'Deleting' as const, message: waitingMessage(children) };
    const rows = children.map((child) => leavingRow(child, 'the Application is being deleted'));
    const remark = abandonRemark(application, children.map(clusterOf));
    await writeStatus(application, { lack, rejected: [], rows, remark }, pass);
    return {};
  }
  await dropFinalizer(application, pass);
  return {};
}
