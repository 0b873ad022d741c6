import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { withIgnored } from '#engine/drift/difference.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { Result } from '#runtime/controller.js';
import type { Found } from '#engine/flux/dry-run.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { concludeDryRun, concludeDryRunError } from '#engine/flux/model/dry-run.js';
import { reconcileInPhases } from '#engine/flux/reconcile.js';
import { currentTarget, desiredTarget, reasonToMove } from '#engine/flux/model/release-target.js';
import { actionContext } from './actions/context.js';
import { type Pass, momentOf } from './pass.js';
import type { DriftedObjects } from './drift.js';
import { chartForDryRun } from './helm-chart.js';
import { mayUninstall } from './may-uninstall.js';
import { decide, type Decision } from './model/decide.js';
import { describeDecision } from './model/dry-run.js';
import { plannedNamespace } from './namespace-metadata.js';
import { observe } from './observe.js';
import { corrected, deployed, newestVersion, rolledBack, uninstalled } from './planned-changes.js';
import { prepareWith, type ReleasePass, type Step } from './prepare.js';
import { validate } from './validate.js';

/** What would be done, and what it would change. */
interface Computed extends Found {
  readonly action: string;
}

function nothing({ status }: ReleasePass): Found {
  return { changes: [], unchanged: status.current.inventory?.entries.length ?? 0 };
}

/** The pass, with a cluster on which nothing can be written. */
function dryPass(pass: ReleasePass): ReleasePass {
  const { context } = pass;
  const { healthRules } = context;
  const member = dryRunMember(context.member);
  return { ...pass, context: actionContext(pass, { member, target: desiredTarget(pass.release), healthRules }) };
}

function drifted({ drifts, ignored }: DriftedObjects) {
  return drifts.map(({ object, live }) =>
    live === undefined ? object : withIgnored(object, live, ignored(object) ?? []),
  );
}

/** A release that moves is uninstalled at its old place first. */
async function computeMove(pass: ReleasePass): Promise<Computed | undefined> {
  const { release, inputs, context } = pass;
  const [target, why] = [currentTarget(release), reasonToMove(release, inputs.chart.metadata.name)];
  if (target === undefined || why === undefined) return undefined;
  const old = actionContext(pass, { member: context.member, target });
  const place = `release ${target.namespace}/${target.releaseName}`;
  const verdict = await mayUninstall(release, old, 'moved');
  if (verdict?.allowed !== true) return { action: `leave ${place}, then install (${why})`, ...nothing(pass) };
  return { action: `uninstall ${place}, then install (${why})`, ...(await uninstalled(old)) };
}

async function found(decision: Decision, step: Step, differences: DriftedObjects | undefined): Promise<Found> {
  if (decision.kind === 'correct' && differences !== undefined) return corrected(step, drifted(differences));
  if (decision.kind !== 'act') return nothing(step);
  switch (decision.action) {
    case 'install':
    case 'upgrade':
      return deployed(step, decision.action);
    case 'rollback':
      return rolledBack(step, decision.target.version);
    case 'uninstall':
      return uninstalled(step.context);
    case 'unlock':
    case 'test':
      return nothing(step);
  }
}

/** The first action, and what it would change: what follows depends on how it ends. */
async function compute(pass: ReleasePass): Promise<Computed> {
  const move = await computeMove(pass);
  if (move !== undefined) return move;
  const observed = await observe(pass, { actions: [], resumed: false });
  const { decision } = decide(observed);
  const step = { ...pass, observedRevision: await newestVersion(pass.context) };
  const { changes, unchanged } = await found(decision, step, observed.differences);
  const onNamespace = await plannedNamespace(pass, decision.kind === 'act' ? decision.action : undefined);
  return { action: describeDecision(decision), unchanged, changes: [...onNamespace, ...changes] };
}

/** The phases of a roll-out, except that nothing is carried out. Throws what ends the reconciliation early. */
async function computeChanges(start: Pass): Promise<Conclusion<HelmReleaseStatus>> {
  const { release, signal } = start;
  const { healthRules } = validate(start);
  const { source, dispose } = await chartForDryRun(start, release, signal);
  try {
    // Watches that were started before go on, and no other one begins.
    const prepared = await prepareWith(source, { ...start, managed: undefined }, healthRules);
    const pass = dryPass(prepared);
    const revision = pass.inputs.chart.metadata.version;
    const computed = { ...(await compute(pass)), revision, moment: momentOf(pass) };
    return concludeDryRun(release, start.status.current, computed);
  } finally {
    await dispose();
  }
}

/** One reconciliation that publishes what it would write, and writes nothing else. */
export function reconcileDryRun(pass: Pass): Promise<Result> {
  const { release, status } = pass;
  return reconcileInPhases(pass, {
    reason: 'ReconcileError',
    run: () => computeChanges(pass),
    concludeError: (failure) =>
      concludeDryRunError(release, failure, { status: status.current, moment: momentOf(pass) }),
  });
}
