import type { ObjectFacts } from '#controllers/deletion/facts.js';
import type { Unstructured } from '#api/meta.js';
import { isCrd } from '#controllers/engine/apply/model/crd.js';
import { deleteByRule, type DeleteOptions, type Deletion, type Propagation } from '../../shared/delete-objects.js';
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

/** Deletes objects from manifests of the release. Throws ActionError. */
export async function deleteOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  { intent, charts, crds = [], propagation }: DeleteOwnedOptions,
): Promise<Deletion> {
  // Objects with a keep policy need not be read.
  const wanted = objects.filter((object) => !isKept(object));
  const { offload, tenant } = context;
  const own = wanted.some(isCrd) ? await ownCrdNames(offload, charts, tenant) : new Set<string>();
  const kept = new Set(crds.map(({ metadata }) => metadata.name));
  // An unreadable chart may contain any CRD.
  const isFromCrds = (name: string): boolean => own === undefined || own.has(name) || kept.has(name);
  return deleteByRule(context, wanted, { ...asked(context, intent, isFromCrds), propagation });
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
