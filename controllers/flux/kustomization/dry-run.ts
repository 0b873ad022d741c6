import type { PlannedChange } from '#api/dry-run.js';
import type { KustomizationStatus } from '#api/flux/kustomization.js';
import { objectChange, type Finding } from '../../dry-run/change-set.js';
import { comparedContent } from '../../engine/apply/compare.js';
import { dryRunMember } from '../../engine/member/dry-run-member.js';
import type { Result } from '../../runtime/controller.js';
import { askInStages, plannedDeletions, type Ask, type Found, type Mask } from '../shared/dry-run.js';
import { reasonText } from '../shared/failure.js';
import type { Conclusion } from '../shared/model/conclusion.js';
import { concludeDryRun, concludeDryRunError, concludeFailedDryRun, hidesOld } from '../shared/model/dry-run.js';
import { reconcileInPhases } from '../shared/reconcile.js';
import type { Pass } from './deps.js';
import { look, type Look } from './look.js';
import { decide } from './model/decide.js';
import { hidesValues, withHeldBack } from './model/dry-run.js';
import { maskFor } from './model/masks.js';
import { isIgnored, ownerOf } from './model/objects.js';
import { stagesOf } from './model/stages.js';
import { retryMs } from './model/timing.js';
import type { Observed, Synchronization } from './model/types.js';
import { observe } from './observe.js';
import { prepare, type SyncPass } from './prepare.js';
import { dryPrune } from './prune.js';
import { validate } from './validate.js';
import { momentOf } from './write-status.js';

function maskOf(manifests: Observed['manifests']): Mask {
  return manifests.kind === 'reject' ? (message) => message : maskFor(manifests.secrets);
}

function noteOf({ action, takesOver, refusal }: Look, mask: Mask): string | undefined {
  if (action === 'recreated') return mask(reasonText(refusal));
  return takesOver === true
    ? 'fields that were set with kubectl and that the source lacks are removed, too'
    : undefined;
}

/** What was looked at, as the status shows it: the live object and the answer are not held any longer. */
function changeOf(
  looked: Look,
  hides: Pick<Finding, 'hidesValues' | 'hidesOld'>,
  mask: Mask,
): PlannedChange | undefined {
  const { object, action, difference } = looked;
  if (action === 'unchanged' || action === 'skipped') return undefined;
  const compared = difference && comparedContent(difference.live, difference.dryRun, object);
  const done = action === 'configured' ? 'changed' : action;
  return objectChange({ action: done, object, compared, ...hides, message: noteOf(looked, mask) });
}

interface Within {
  readonly pass: SyncPass;
  /** What a server says of an object may quote it. */
  readonly mask: Mask;
}

async function deletions({ stale, objects }: Synchronization, { pass, mask }: Within): Promise<PlannedChange[]> {
  if (stale.length === 0) return [];
  const { context, kustomization, log } = pass;
  const request = { context, owner: ownerOf(kustomization), intent: 'prune', log } as const;
  const { gone, ...done } = await dryPrune(request, stale, objects);
  return plannedDeletions(gone, done, mask);
}

/** What a decision would change, asked of the cluster by dry runs. Throws what ends a reconciliation. */
async function find(decision: Synchronization, within: Within): Promise<Found> {
  const { pass, mask } = within;
  const { context, ignored, kustomization } = pass;
  const { spec } = kustomization;
  const dryContext = { ...context, member: dryRunMember(context.member) };
  const request = { context: dryContext, ignored, owner: ownerOf(kustomization), force: spec.force === true };
  const hides = { hidesValues: hidesValues(spec), hidesOld: hidesOld(kustomization) };
  const applied = decision.objects.filter((object) => !isIgnored(object));
  const stages = stagesOf(applied).map(({ groups }) => groups.flat());
  const ask: Ask = async (object) => changeOf(await look(request, object, { isArriving: false }), hides, mask);
  const found = await askInStages(stages, ask, mask);
  return {
    changes: [...found.changes, ...withHeldBack(found.changes, await deletions(decision, within))],
    unchanged: found.unchanged + decision.objects.length - applied.length,
  };
}

/** The phases of a synchronization, except that nothing is carried out. Throws what ends the reconciliation early. */
async function computeChanges(start: Pass): Promise<Conclusion<KustomizationStatus>> {
  const pass = await prepare(start, validate(start));
  const observed = await observe(pass);
  const { decision } = decide(observed);
  const { artifact, kustomization, status } = pass;
  const mask = maskOf(observed.manifests);
  if (decision.kind === 'reject') {
    const next = { kind: 'requeue', afterMs: retryMs(kustomization.spec) } as const;
    const failed = {
      moment: momentOf(pass),
      problem: { ...decision, message: mask(decision.message) },
      next,
      type: 'Warning',
    } as const;
    return concludeFailedDryRun(kustomization, status.current, failed);
  }
  const found = await find(decision, { pass, mask });
  return concludeDryRun(kustomization, status.current, {
    ...{ ...found, mask },
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
