import once from 'lodash/once.js';
import pick from 'lodash/pick.js';
import type { Unstructured } from '#api/meta.js';
import { objectChange } from '#engine/dry-run/change-set.js';
import { publicNames, type IsPublic } from '#engine/dry-run/public-names.js';
import { comparedContent, isUnchanged } from '#engine/apply/compare.js';
import { applyStages } from '#engine/apply/order.js';
import { TransientError } from '#lib/errors.js';
import { printJson } from '#lib/json/lossless-json.js';
import { takeOverPatch } from '#lib/kube/managed-fields.js';
import { askInStages, type Ask, type Found } from '#engine/flux/dry-run.js';
import { hidesOld } from '#engine/flux/model/dry-run.js';
import { refusalOf, type Hiding } from '#engine/flux/model/refusal.js';
import { isUnknownKind, objectsWithout, readLive } from '#engine/flux/objects.js';
import { crdPolicy, installOptions, upgradeOptions } from './action-options.js';
import type { ActionContext } from './actions/context.js';
import { dryDeleteOwned } from './actions/delete-objects.js';
import { recordedObjects, objectsOfRelease } from './read-rendered.js';
import { namespaceOf } from './actions/namespace.js';
import { readRecords } from './storage.js';
import { hidesValues } from './model/dry-run.js';
import { ownershipConflict, withOwnership, isTakenOver } from './model/ownership.js';
import { lastRevision } from './model/release.js';
import type { Step } from './prepare.js';
import { prepareChart, renderDesired } from './render-desired.js';

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

/** What comes before the objects of a release, where it is created or changed. */
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

/** What would change if these objects took the place of those of the release. */
async function replace(context: ActionContext, { first, objects, crds, rules }: Replacement): Promise<Found> {
  const owned = objects.map((object) => withOwnership(object, context));
  const stages = [first, ...applyStages(await Promise.all(owned.map((object) => placed(context, object))))];
  const found = await askInStages(stages, askIn(context, rules));
  const previous = (await readRecords(context, await context.storage.revisions())).map(({ record }) => record);
  const gone = await objectsWithout(context, await recordedObjects(previous), objects);
  const intent = crds === undefined ? 'revert' : 'prune';
  const charts = previous.map(({ chart }) => chart);
  const deleted = await dryDeleteOwned(context, gone, { intent, charts, crds });
  return { ...found, changes: [...found.changes, ...deleted] };
}

/** What an install or upgrade would change. Throws TransientError if helm rejects the chart. */
export async function deployed(step: Step, action: 'install' | 'upgrade'): Promise<Found> {
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
    objects: await objectsOfRelease(desired.rendered.manifest),
    crds: desired.crds,
    rules: { ...hiding(step), rejectsForeign: options.disableTakeOwnership },
  });
}

/** What a rollback to a revision would change. Its values may have come from anywhere: they are not shown. */
export async function rolledBack(step: Step, version: number): Promise<Found> {
  const { context } = step;
  const target = await context.storage.read(version);
  const objects = await objectsOfRelease(target?.record.manifest ?? '');
  return replace(context, { first: [], objects, crds: undefined, rules: { ...hiding(step), hidesValues: true } });
}

/** What an uninstall would delete. */
export async function uninstalled(context: ActionContext): Promise<Found> {
  const revisions = await context.storage.revisions();
  const records = await readRecords(context, revisions);
  const objects = await recordedObjects(records.map(({ record }) => record));
  const unique = await objectsWithout(context, objects, []);
  const charts = records.map(({ record }) => record.chart);
  const changes = await dryDeleteOwned(context, unique, { intent: 'uninstall', charts });
  return { changes, unchanged: 0 };
}

/** What a correction of drift would change. `objects`: as they would be applied. */
export function corrected(step: Step, objects: readonly Unstructured[]): Promise<Found> {
  return askInStages(applyStages(objects), askIn(step.context, hiding(step)));
}

/** Newest revision in storage; 0 for none. */
export async function newestVersion({ storage }: Pick<ActionContext, 'storage'>): Promise<number> {
  return lastRevision(await storage.revisions())?.version ?? 0;
}
