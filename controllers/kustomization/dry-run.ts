import once from 'lodash/once.js';
import type { PlannedChange } from '#api/dry-run.js';
import type { KustomizationStatus, KustomizationSpec } from '#api/flux/kustomization.js';
import { objectChange, type Finding } from '#engine/dry-run/change-set.js';
import { publicNames } from '#engine/dry-run/public-names.js';
import { comparedContent } from '#engine/apply/compare.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { Result } from '#runtime/controller.js';
import { askInStages, plannedDeletions, type Ask, type Found } from '#engine/flux/dry-run.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { concludeDryRun, concludeDryRunError, concludeFailedDryRun, hidesOld } from '#engine/flux/model/dry-run.js';
import { masked } from '#engine/flux/model/masks.js';
import type { Hiding } from '#engine/flux/model/refusal.js';
import { reconcileInPhases } from '#engine/flux/reconcile.js';
import { type Pass, momentOf } from './pass.js';
import { look, type Look } from './look.js';
import { holdersFor } from './neighbours.js';
import { decide } from './model/decide.js';
import { isIgnored, ownerOf } from './model/objects.js';
import { stagesOf } from './model/stages.js';
import { retryMs } from './model/timing.js';
import type { Observed, Synchronization } from './model/types.js';
import { observe } from './observe.js';
import { prepare, type SyncPass } from './prepare.js';
import { dryPrune } from './prune.js';
import { validate } from './validate.js';
import { reasonText } from '#engine/member/member-failure.js';

/** True if values of the build may come from Secrets, whose readers may be fewer than those of the status. */
export function hidesValues({ decryption, postBuild }: Pick<KustomizationSpec, 'decryption' | 'postBuild'>): boolean {
  const sources = postBuild?.substituteFrom ?? [];
  return decryption !== undefined || sources.some(({ kind }) => kind === 'Secret');
}

/** The objects that would be deleted, as listed next to other changes: nothing is pruned while one of them fails. */
export function withHeldBack(changes: readonly PlannedChange[], deletions: readonly PlannedChange[]): PlannedChange[] {
  const isHeldBack = changes.some(({ action }) => action === 'failed');
  if (!isHeldBack) return [...deletions];
  return deletions.map((deletion) => {
    const notes = [deletion.message, 'only once no object fails'].filter((note) => note !== undefined);
    return deletion.action === 'deleted' ? { ...deletion, message: notes.join('; ') } : deletion;
  });
}

/** What is not shown of the objects. */
type Hides = Hiding & Pick<Finding, 'hidesOld'>;

function hidesOf({ kustomization, manifests }: Observed): Hides {
  const given = manifests.kind === 'reject' ? undefined : manifests;
  const names = once(() => publicNames([given?.template ?? ''], given?.secrets));
  const hides = { hidesValues: hidesValues(kustomization.spec), hidesOld: hidesOld(kustomization) };
  return { ...hides, isPublic: (name) => names()(name) };
}

function noteOf({ action, takesOver, refusal }: Look): string | undefined {
  if (action === 'recreated') return reasonText(refusal);
  return takesOver === true
    ? 'fields that were set with kubectl and that the source lacks are removed, too'
    : undefined;
}

/** What was looked at, as the status shows it: the live object and the answer are not held any longer. */
function changeOf(looked: Look, hides: Hides): PlannedChange | undefined {
  const { object, action, difference } = looked;
  if (action === 'unchanged' || action === 'skipped') return undefined;
  const compared = difference && comparedContent(difference.live, difference.dryRun, object);
  const done = action === 'configured' ? 'changed' : action;
  return objectChange({ action: done, object, compared, ...hides, message: noteOf(looked) });
}

async function deletions({ stale, objects }: Synchronization, pass: SyncPass, hides: Hides): Promise<PlannedChange[]> {
  if (stale.length === 0) return [];
  const { gone, ...done } = await dryPrune(pass, stale, objects);
  return plannedDeletions(gone, done, hides);
}

/** What a decision would change, asked of the cluster by dry runs. Throws what ends a reconciliation. */
async function find(decision: Synchronization, pass: SyncPass, hides: Hides): Promise<Found> {
  const { context, ignored, kustomization } = pass;
  const { spec } = kustomization;
  const dryContext = { ...context, member: dryRunMember(context.member) };
  const request = {
    context: dryContext,
    ignored,
    owner: ownerOf(kustomization),
    force: spec.force === true,
    hiding: hides,
    holderOf: holdersFor(pass),
  };
  const applied = decision.objects.filter((object) => !isIgnored(object));
  const stages = stagesOf(applied).map(({ groups }) => groups.flat());
  const ask: Ask = async (object) => changeOf(await look(request, object, { isArriving: false }), hides);
  const found = await askInStages(stages, ask);
  return {
    changes: [...found.changes, ...withHeldBack(found.changes, await deletions(decision, pass, hides))],
    unchanged: found.unchanged + decision.objects.length - applied.length,
  };
}

/** The phases of a synchronization, except that nothing is carried out. Throws what ends the reconciliation early. */
async function computeChanges(start: Pass): Promise<Conclusion<KustomizationStatus>> {
  const pass = await prepare(start, validate(start));
  const observed = await observe(pass);
  const { decision } = decide(observed);
  const { artifact, kustomization, status } = pass;
  if (decision.kind === 'reject') {
    const secrets = observed.manifests.kind === 'reject' ? [] : observed.manifests.secrets;
    const next = { kind: 'requeue', afterMs: retryMs(kustomization.spec) } as const;
    const failed = {
      moment: momentOf(pass),
      problem: { ...decision, message: masked(decision.message, secrets) },
      next,
      type: 'Warning',
    } as const;
    return concludeFailedDryRun(kustomization, status.current, failed);
  }
  const found = await find(decision, pass, hidesOf(observed));
  return concludeDryRun(kustomization, status.current, {
    ...found,
    revision: artifact.revision,
    moment: momentOf(pass),
  });
}

/** One reconciliation that publishes what it would write, and writes nothing else. */
export function reconcileDryRun(pass: Pass): Promise<Result> {
  const { kustomization, status } = pass;
  return reconcileInPhases(pass, {
    reason: 'ReconciliationFailed',
    run: () => computeChanges(pass),
    concludeError: (failure) =>
      concludeDryRunError(kustomization, failure, { status: status.current, moment: momentOf(pass) }),
  });
}
