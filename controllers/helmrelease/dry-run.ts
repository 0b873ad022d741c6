import once from 'lodash/once.js';
import pick from 'lodash/pick.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { objectChange } from '#engine/dry-run/change-set.js';
import { publicNames, type IsPublic } from '#engine/dry-run/public-names.js';
import { comparedContent, isUnchanged } from '#engine/apply/compare.js';
import { applyStages } from '#engine/apply/order.js';
import { TransientError } from '#lib/errors.js';
import { printJson } from '#lib/json/lossless-json.js';
import { takeOverPatch } from '#lib/kube/managed-fields.js';
import { askInStages, type Ask, type Found } from '#engine/flux/dry-run.js';
import { hidesOld, concludeDryRun, concludeDryRunError } from '#engine/flux/model/dry-run.js';
import { refusalOf, type Hiding } from '#engine/flux/model/refusal.js';
import { objectsWithout, readLive } from '#engine/flux/objects.js';
import { isUnknownKind } from '#engine/member/member-failure.js';
import { withIgnored } from '#engine/drift/difference.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { Result } from '#runtime/controller.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { reconcileInPhases } from '#engine/flux/reconcile.js';
import { currentTarget, desiredTarget, reasonToMove } from '#engine/flux/model/release-target.js';
import { decide, describeDecision, type Decision } from './model/decide.js';
import { crdPolicy, installOptions, upgradeOptions } from './action-options.js';
import { actionContext, type ActionContext } from './actions/context.js';
import { claimBeforeMove } from './claim.js';
import { dryDeleteOwned } from './actions/delete-objects.js';
import { recordedObjects, objectsOfRelease } from './stored-objects.js';
import { namespaceOf } from './actions/apply.js';
import { readRecords } from './storage.js';
import { ownershipConflict, withOwnership, isTakenOver } from './model/ownership.js';
import { lastRevision } from './model/release.js';
import { hidesValues } from './model/secret-values.js';
import { prepareWith, type Step, type ReleasePass } from './prepare.js';
import { prepareChart, renderDesired } from './render-desired.js';
import { momentOf, type Pass } from './pass.js';
import { requireFreeTarget } from './same-target.js';
import { observe, type DriftedObjects } from './observe.js';
import { chartForDryRun } from './helm-chart.js';
import { mayUninstall } from './may-uninstall.js';
import { requireMovable } from './uninstall.js';
import { plannedNamespace } from './namespace-metadata.js';
import { validate } from './validate.js';

interface Rules extends Hiding {
  readonly hidesOld?: boolean;
  /** Objects of others are rejected instead of adopted. */
  readonly rejectsForeign?: boolean;
}

/** The names that the chart and the release say, but no Secret. */
function namesOf({ release, inputs: { chart } }: Step): IsPublic {
  const templates = (chart.templates ?? []).map(({ data }) => Buffer.from(data, 'base64').toString('utf8'));
  return publicNames([printJson(release.spec), printJson(chart.values), ...templates]);
}

function hiding(step: Step): Rules {
  const { release, inputs } = step;
  const names = once(() => namesOf(step));
  const isPublic: IsPublic = (name) => names()(name);
  return { hidesValues: hidesValues(release.spec, inputs.traits), hidesOld: hidesOld(release), isPublic };
}

/** The object where it would be applied; one of a kind that is not served yet is taken for a namespaced one. */
async function placed({ member, namespace, signal }: ActionContext, object: Unstructured): Promise<Unstructured> {
  const { namespace: own = namespace, ...metadata } = object.metadata;
  try {
    const { namespaced } = await member.resourceType(object.apiVersion, object.kind, { signal });
    return { ...object, metadata: namespaced ? { ...metadata, namespace: own } : metadata };
  } catch (error: unknown) {
    if (!isUnknownKind(error)) throw error;
    return { ...object, metadata: { ...metadata, namespace: own } };
  }
}

/** Asks about one object. `context` must be of a dry run. */
function askIn(context: ActionContext, rules: Rules): Ask {
  const { member, fieldManager, signal } = context;
  const ask: Ask = async (object) => {
    const type = await member.resourceType(object.apiVersion, object.kind, { signal });
    const live = await member.kube.get<Unstructured>(type, object.metadata, { signal });
    const conflict = live && rules.rejectsForeign === true ? ownershipConflict(live, context) : undefined;
    if (conflict !== undefined) throw new TransientError(conflict);
    const dryRun = await member.kube.apply(type, object, { fieldManager, force: true, dryRun: true, signal });
    if (live === undefined) return objectChange({ action: 'created', object });
    const taking = { manager: fieldManager, isTaken: (entry: object) => isTakenOver(entry, live, context) };
    const takesOver = takeOverPatch(live, taking) !== undefined;
    if (!takesOver && isUnchanged(live, dryRun, { desired: object, fieldManager })) return undefined;
    const message = takesOver ? 'fields that helm set and that the chart lacks are removed, too' : undefined;
    const compared = comparedContent(live, dryRun, object);
    return objectChange({
      action: 'changed',
      object,
      compared,
      ...pick(rules, 'hidesValues', 'hidesOld', 'isPublic'),
      message,
    });
  };
  return (object) =>
    ask(object).catch((error: unknown) => {
      throw refusalOf(error, object, rules);
    });
}

/** The objects that come before those of a release, where they are created or changed. */
async function firstObjects(
  { context, release: { spec } }: Step,
  crds: readonly Unstructured[],
  action: 'install' | 'upgrade',
): Promise<Unstructured[]> {
  const policy = crdPolicy(spec, action);
  const { createNamespace } = installOptions(spec, { observedRevision: 0 });
  const optional = [
    ...(action === 'install' && createNamespace ? [namespaceOf(context)] : []),
    ...(policy === 'Create' ? crds : []),
  ];
  const missing: Unstructured[] = [];
  for (const object of optional) if ((await readLive(context, object)) === undefined) missing.push(object);
  return policy === 'CreateReplace' ? [...missing, ...crds] : missing;
}

interface Replacement {
  readonly first: readonly Unstructured[];
  readonly objects: readonly Unstructured[];
  readonly crds: readonly Unstructured[] | undefined;
  readonly rules: Rules;
}

/** Finds the changes if these objects took the place of those of the release. */
async function replace(context: ActionContext, { first, objects, crds, rules }: Replacement): Promise<Found> {
  const owned = objects.map((object) => withOwnership(object, context));
  const stages = [first, ...applyStages(await Promise.all(owned.map((object) => placed(context, object))))];
  const found = await askInStages(stages, askIn(context, rules));
  const previous = (await readRecords(context, await context.storage.revisions())).map(({ record }) => record);
  const gone = await objectsWithout(context, await recordedObjects(context, previous), objects);
  const intent = crds === undefined ? 'revert' : 'prune';
  const charts = previous.map(({ chart }) => chart);
  const deleted = await dryDeleteOwned(context, gone, { intent, charts, crds });
  return { ...found, changes: [...found.changes, ...deleted] };
}

/** Finds the changes of an install or upgrade. Throws TransientError if helm rejects the chart. */
async function deployed(step: Step, action: 'install' | 'upgrade'): Promise<Found> {
  const { context, release, observedRevision } = step;
  const isUpgrade = action === 'upgrade';
  const prepared = await prepareChart(step, isUpgrade);
  const desired = 'problem' in prepared ? prepared : await renderDesired(step, isUpgrade, prepared);
  if ('problem' in desired) {
    throw new TransientError(desired.problem, { reason: isUpgrade ? 'UpgradeFailed' : 'InstallFailed' });
  }
  const { spec } = release;
  const options = isUpgrade ? upgradeOptions(spec, { observedRevision }) : installOptions(spec, { observedRevision });
  return replace(context, {
    first: await firstObjects(step, desired.crds, action),
    objects: await objectsOfRelease(context, desired.rendered.manifest),
    crds: desired.crds,
    rules: { ...hiding(step), rejectsForeign: options.disableTakeOwnership },
  });
}

/** Finds the changes of a rollback to a revision. Its values may have come from anywhere: they are not shown. */
async function rolledBack(step: Step, version: number): Promise<Found> {
  const { context } = step;
  const target = await context.storage.read(version);
  const objects = await objectsOfRelease(context, target?.record.manifest ?? '', version);
  return replace(context, { first: [], objects, crds: undefined, rules: { ...hiding(step), hidesValues: true } });
}

/** Finds the objects that an uninstall would delete. */
async function uninstalled(context: ActionContext): Promise<Found> {
  const revisions = await context.storage.revisions();
  const records = await readRecords(context, revisions);
  const objects = await recordedObjects(
    context,
    records.map(({ record }) => record),
  );
  const unique = await objectsWithout(context, objects, []);
  const charts = records.map(({ record }) => record.chart);
  const changes = await dryDeleteOwned(context, unique, { intent: 'uninstall', charts });
  return { changes, unchanged: 0 };
}

/** Finds the changes of a correction of drift. `objects`: as they would be applied. */
function corrected(step: Step, objects: readonly Unstructured[]): Promise<Found> {
  return askInStages(applyStages(objects), askIn(step.context, hiding(step)));
}

/** Newest revision in storage; 0 for none. */
async function newestVersion({ storage }: Pick<ActionContext, 'storage'>): Promise<number> {
  return lastRevision(await storage.revisions())?.version ?? 0;
}

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
  await requireMovable(pass);
  const old = actionContext(pass, { member: context.member, target });
  const place = `release ${target.namespace}/${target.releaseName}`;
  await claimBeforeMove(pass, old);
  const verdict = await mayUninstall(pass, old, 'moved');
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
  await requireFreeTarget(pass);
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
