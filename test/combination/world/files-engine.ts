import { kustomizationResource, type Kustomization, type KustomizationStatus } from '#api/flux/kustomization.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import type { KubeObject } from '#api/meta.js';
import type { Child, ChildStatus } from '#controllers/application/model/child/types.js';
import { deletesObjects } from '#controllers/kustomization/finalize.js';
import { mayLetGo } from '#engine/flux/target-cluster.js';
import { mayGoAlong } from '#engine/flux/installed.js';
import { withoutConditions } from '#engine/flux/model/progress.js';
import { ControllerError, TransientError, WaitingError } from '#lib/errors.js';
import { MemoryKube } from './client.js';
import { EnginePass, memberOf, type EngineWorld } from './engine-base.js';
import type { Member, Place } from './members.js';
import { contentOf, placeOf } from './targets.js';

type Status = KustomizationStatus & ChildStatus;

const AGAIN_MS = 30_000;

interface FilesSpec {
  readonly prune?: boolean;
  readonly sourceRef?: { readonly kind: string; readonly name: string; readonly namespace?: string };
}

function specOf({ spec }: Child): FilesSpec {
  return spec as FilesSpec; // a Kustomization says these
}

function entriesOf(status: Status): Place[] {
  return (status.inventory?.entries ?? []).map(({ id }) => JSON.parse(id) as Place); // as it was written below
}

/** The revision that the source has now. Throws WaitingError without one. */
function revisionOf({ world, child }: EnginePass<Status>): string {
  const { sourceRef } = specOf(child);
  const ref = { name: sourceRef?.name ?? '', namespace: sourceRef?.namespace ?? child.metadata.namespace };
  const source = world.server.get(gitRepositoryResource, ref) as
    (KubeObject & { readonly status?: { readonly artifact?: { readonly revision: string } } }) | undefined;
  const revision = source?.status?.artifact?.revision;
  if (revision !== undefined) return revision;
  throw new WaitingError('SourceNotReady', `GitRepository ${ref.name} has no artifact`, { retryAfterMs: AGAIN_MS });
}

function prune(pass: EnginePass<Status>, place: Place, why: string): void {
  const { members } = pass.world;
  const workload = members.workloadOf(place);
  if (workload?.owner !== pass.key) return;
  members.remove(place, pass.key, pass.record('prune', why));
}

function apply(pass: EnginePass<Status>, place: Place, revision: string, fails: boolean): void {
  const { members } = pass.world;
  const before = members.workloadOf(place);
  const content = contentOf(pass.child);
  const digest = JSON.stringify([place.name, revision, content]);
  const isSame = before?.digest === digest && before.owner === pass.key && before.isFailed === fails;
  if (isSame) return;
  const done = before === undefined ? 'install' : 'upgrade';
  const written = { place, version: revision, content, digest, owner: pass.key, isFailed: fails };
  members.write(written, pass.record(fails ? 'failed' : done, done));
}

function conclude(pass: EnginePass<Status>, place: Place, revision: string): void {
  const inventory = { entries: [{ id: JSON.stringify(place), v: 'v1' }] };
  const message = `Applied revision: ${revision}`;
  pass.condition({ type: 'Ready', status: 'True', reason: 'ReconciliationSucceeded', message });
  const settled = withoutConditions(pass.status, 'Reconciling', 'Stalled');
  const revisions = { lastAppliedRevision: revision, lastAttemptedRevision: revision };
  pass.status = { ...settled, inventory, ...revisions, observedGeneration: pass.moment.generation };
}

/** Nobody applies the same again and again: only a new spec, revision or state of the cluster is a reason. */
function isApplied({ status, moment }: EnginePass<Status>, revision: string, isBroken: boolean): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isCurrent = ready?.observedGeneration === moment.generation && status.lastAttemptedRevision === revision;
  return isCurrent && (ready.status === 'True' || isBroken);
}

/** Applies first, and prunes what the files no longer have. */
function applyAndPrune(pass: EnginePass<Status>, member: Member): void {
  const revision = revisionOf(pass);
  const fails = member.broken.has('*') || member.broken.has(revision);
  if (isApplied(pass, revision, fails)) return;
  const place = placeOf(pass.world.server, pass.child, member.uid);
  apply(pass, place, revision, fails);
  pass.status = { ...pass.status, lastAttemptedRevision: revision };
  if (fails) throw new TransientError(`${revision} is broken`, { reason: 'HealthCheckFailed' });
  const left = entriesOf(pass.status).filter((each) => JSON.stringify(each) !== JSON.stringify(place));
  if (specOf(pass.child).prune === true) for (const each of left) prune(pass, each, 'not in the files any more');
  conclude(pass, place, revision);
}

/** Reconciles one Kustomization that is not being deleted. */
function reconcile(pass: EnginePass<Status>): void {
  if (pass.child.spec.suspend === true) return;
  pass.ensureFinalizer();
  try {
    applyAndPrune(pass, memberOf(pass.child, pass.world));
  } catch (error: unknown) {
    pass.fail(error, 'ReconciliationFailed');
  }
  pass.writeStatus();
}

async function mayDelete(pass: EnginePass<Status>): Promise<boolean> {
  const kustomization = { ...pass.child, status: pass.status } as unknown as Kustomization; // a Child is one
  if (!deletesObjects(kustomization)) return false;
  if (pass.world.isEngineExternal) return true;
  const kube = new MemoryKube(pass.world.server, 'engine');
  return (await mayGoAlong(kustomization, { kube, signal: new AbortController().signal })).allowed;
}

/** Reconciles one Kustomization that is being deleted, with the real rules of what stays. */
async function finalize(pass: EnginePass<Status>): Promise<void> {
  try {
    if (await mayDelete(pass)) {
      memberOf(pass.child, pass.world);
      for (const place of entriesOf(pass.status)) prune(pass, place, 'deleted');
    }
  } catch (error: unknown) {
    if (!(error instanceof ControllerError)) throw error;
    if (!mayLetGo(error, { neverActed: false })) {
      pass.fail(error, 'PruneFailed');
      pass.writeStatus();
      return;
    }
  }
  pass.dropFinalizer();
}

/** Plays the controller of Kustomizations: one pass over each of them. Files of a folder are one thing. */
export class FilesEngine {
  readonly #world: EngineWorld;

  constructor(world: EngineWorld) {
    this.#world = world;
  }

  async reconcileAll(): Promise<void> {
    for (const object of this.#world.server.list(kustomizationResource)) {
      const pass = new EnginePass<Status>(this.#world, kustomizationResource, object as Child);
      if (object.metadata.deletionTimestamp === undefined) reconcile(pass);
      else await finalize(pass);
    }
  }
}
