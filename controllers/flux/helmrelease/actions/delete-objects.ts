import { mayDelete } from '../../../deletion/rule.js';
import type { ObjectFacts } from '../../../deletion/facts.js';
import type { Unstructured } from '../../../../api/meta.js';
import { isCrd } from '../../../engine/apply/crd.js';
import { deleteObjects } from '../../../engine/apply/delete.js';
import { subjectOf, targetOf } from '../../../engine/apply/inventory.js';
import { isKept } from '../model/manifest.js';
import { marksOf } from '../model/ownership.js';
import type { ChartRecord } from '../model/release.js';
import { ownCrdNames } from '../read-crds.js';
import type { ActionContext } from './context.js';
import { refuseFailures, waitUntil, withKnownKinds } from './objects.js';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOwnedOptions {
  readonly intent: Exclude<ObjectFacts['intent'], 'hook'>;
  /** Charts whose crds/ may hold what a manifest names as well. */
  readonly charts: readonly ChartRecord[];
  /** CRDs that the release keeps, though its manifest does not name them. */
  readonly crds?: readonly Unstructured[] | undefined;
  /** Default Background. */
  readonly propagation?: Propagation | undefined;
}

/** What became of objects that were to be deleted. */
export interface Deletion {
  readonly going: readonly Unstructured[];
  /** Subjects of those that are left because no mark, or that of another release, is on them. */
  readonly unowned: readonly string[];
}

const UNOWNED: readonly string[] = ['unmarked', 'of-another'];

/** Deletes what the rule lets go, in the reverse of the order of applying. Throws ActionError. */
async function deleteByRule(
  context: ActionContext,
  objects: readonly Unstructured[],
  {
    intent,
    isFromCrds,
    propagation,
  }: {
    readonly intent: ObjectFacts['intent'];
    readonly isFromCrds: (crd: Unstructured) => boolean;
    readonly propagation?: Propagation;
  },
): Promise<Deletion> {
  const wanted = await withKnownKinds(context, objects);
  const left = new Map<string, string>();
  const { failures } = await deleteObjects({
    member: context.member,
    targets: wanted.map(targetOf),
    signal: context.signal,
    ...(propagation === undefined ? {} : { propagation }),
    mayDelete: (live) => {
      const { allowed, guard, why } = mayDelete({
        subject: 'object',
        intent,
        kind: live.kind,
        isKept: isKept(live),
        marks: marksOf(live, context),
        isFromCrds: isCrd(live) && isFromCrds(live),
      });
      const subject = subjectOf(targetOf(live));
      if (allowed) return true;
      left.set(subject, guard);
      context.log.info({ releaseName: context.releaseName, object: subject, guard, why }, 'object is left in place');
      return false;
    },
  });
  refuseFailures('delete', failures);
  return {
    going: wanted.filter((object) => !left.has(subjectOf(targetOf(object)))),
    unowned: [...left].flatMap(([subject, guard]) => (UNOWNED.includes(guard) ? [subject] : [])).sort(),
  };
}

/** Deletes objects that manifests of the release name. Throws ActionError. */
export async function deleteOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  { intent, charts, crds = [], propagation }: DeleteOwnedOptions,
): Promise<Deletion> {
  // Of a kept object nobody needs to know how it is.
  const wanted = objects.filter((object) => !isKept(object));
  const { offload, lane } = context;
  const own = wanted.some(isCrd) ? await ownCrdNames(offload, charts, lane) : new Set<string>();
  const kept = new Set(crds.map(({ metadata }) => metadata.name));
  // What cannot be read may name any.
  const isFromCrds = ({ metadata: { name } }: Unstructured): boolean =>
    own === undefined || own.has(name) || kept.has(name);
  return deleteByRule(context, wanted, { intent, isFromCrds, ...(propagation === undefined ? {} : { propagation }) });
}

/** Deletes what a hook made, whoever made it: Helm asks neither for marks nor for policies. Throws ActionError. */
export async function deleteHook(
  context: ActionContext,
  objects: readonly Unstructured[],
): Promise<readonly Unstructured[]> {
  return (await deleteByRule(context, objects, { intent: 'hook', isFromCrds: () => false })).going;
}

/** Waits until objects that were deleted are gone, or made anew by someone else. Throws ActionError. */
export async function waitUntilGone(
  context: ActionContext,
  objects: readonly Unstructured[],
  timeoutMs: number,
): Promise<void> {
  await waitUntil(context, objects, {
    timeoutMs,
    waitingFor: 'deletion of',
    isDone: (live) => live?.metadata.deletionTimestamp === undefined,
  });
}
