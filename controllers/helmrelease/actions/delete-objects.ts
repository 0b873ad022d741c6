import type { PlannedChange } from '#api/dry-run.js';
import type { ObjectFacts } from '#engine/deletion/facts.js';
import type { Unstructured } from '#api/meta.js';
import { isCrd } from '#engine/apply/model/crd.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import {
  deleteByRule,
  tryDeleteByRule,
  type DeleteOptions,
  type Deletion,
  type Propagation,
  withKnownKinds,
} from '#engine/flux/objects.js';
import { plannedDeletions } from '#engine/flux/dry-run.js';
import { isKept } from '../model/manifest.js';
import { marksOf } from '../model/ownership.js';
import type { ChartRecord } from '../model/release.js';
import { ownCrdNames } from '../read-crds.js';
import type { ActionContext } from './context.js';

export interface DeleteOwnedOptions {
  readonly intent: Exclude<ObjectFacts['intent'], 'hook'>;
  /** Charts whose crds/ may contain objects that a manifest contains as well. */
  readonly charts: readonly ChartRecord[];
  /** CRDs that the release keeps although its manifest does not contain them. */
  readonly crds?: readonly Unstructured[] | undefined;
  readonly propagation?: Propagation | undefined;
}

/** What the deletion rule needs to know of an object of a release. */
function asked(
  context: ActionContext,
  intent: ObjectFacts['intent'],
  isFromCrds: (name: string) => boolean,
): Pick<DeleteOptions, 'factsOf' | 'onLeft'> {
  const { log, releaseName } = context;
  return {
    factsOf: (live) => ({
      subject: 'object',
      intent,
      kind: live.kind,
      isKept: isKept(live),
      marks: marksOf(live, context),
      isFromCrds: isCrd(live) && isFromCrds(live.metadata.name),
    }),
    onLeft: (left) => log.info({ releaseName, ...left }, 'object is left in place'),
  };
}

/** Objects from manifests of the release, without those that stay in any case, and how they are deleted. */
async function ownedDeletion(
  context: ActionContext,
  objects: readonly Unstructured[],
  { intent, charts, crds = [], propagation }: DeleteOwnedOptions,
): Promise<{ readonly wanted: readonly Unstructured[]; readonly options: DeleteOptions }> {
  // Objects with a keep policy need not be read.
  const wanted = objects.filter((object) => !isKept(object));
  const { offload, tenant } = context;
  const own = wanted.some(isCrd) ? await ownCrdNames(offload, charts, tenant) : new Set<string>();
  const kept = new Set(crds.map(({ metadata }) => metadata.name));
  // An unreadable chart may contain any CRD.
  const isFromCrds = (name: string): boolean => own === undefined || own.has(name) || kept.has(name);
  return { wanted, options: { ...asked(context, intent, isFromCrds), propagation } };
}

/** Deletes objects from manifests of the release. Throws ActionError. */
export async function deleteOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  asWanted: DeleteOwnedOptions,
): Promise<Deletion> {
  const { wanted, options } = await ownedDeletion(context, objects, asWanted);
  return deleteByRule(context, wanted, options);
}

/** The same in a dry run. */
export async function dryDeleteOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  asWanted: DeleteOwnedOptions,
): Promise<PlannedChange[]> {
  const dryContext = { ...context, member: dryRunMember(context.member) };
  const { wanted, options } = await ownedDeletion(dryContext, objects, asWanted);
  const placed = await withKnownKinds(dryContext, wanted);
  return plannedDeletions(placed, await tryDeleteByRule(dryContext, placed, options));
}

/** Deletes the objects of a hook, whoever created them: Helm checks neither marks nor policies. Throws ActionError. */
export async function deleteHook(
  context: ActionContext,
  objects: readonly Unstructured[],
): Promise<readonly Unstructured[]> {
  return (
    await deleteByRule(
      context,
      objects,
      asked(context, 'hook', () => false),
    )
  ).going;
}
