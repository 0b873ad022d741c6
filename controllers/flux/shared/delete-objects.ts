import type { Unstructured } from '#api/meta.js';
import type { ObjectFacts } from '../../deletion/facts.js';
import { mayDelete } from '../../deletion/rule.js';
import { deleteObjects } from '../../engine/apply/delete.js';
import { subjectOf, targetOf } from '../../engine/apply/model/inventory.js';
import type { ChangeSet } from '../../engine/apply/types.js';
import { type ClusterContext, refuseFailures, waitUntil, withKnownKinds } from './objects.js';
import { defined } from '../../runtime/pure/defined.js';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** The result of a deletion. */
export interface Deletion {
  readonly going: readonly Unstructured[];
  /** Objects that stay because they have no mark, or that of another owner. */
  readonly unowned: readonly string[];
}

/** How objects are deleted, and what the deletion rule needs to know of each. */
export interface DeleteOptions {
  readonly factsOf: (live: Unstructured) => ObjectFacts;
  /** Called for each object that the rule leaves in place. */
  readonly onLeft: (left: { readonly object: string; readonly guard: string; readonly why: string }) => void;
  /** Default Background. */
  readonly propagation?: Propagation | undefined;
}

const UNOWNED: readonly string[] = ['unmarked', 'of-another'];

/** Like `deleteByRule`, with what was done to each object, and why it failed. */
export async function tryDeleteByRule(
  context: ClusterContext,
  objects: readonly Unstructured[],
  { factsOf, onLeft, propagation }: DeleteOptions,
): Promise<Deletion & ChangeSet> {
  // Where nothing is found by an old answer, an object would count as gone.
  const wanted = await withKnownKinds(context, objects, { afresh: true });
  const left = new Map<string, string>();
  const { changes, failures } = await deleteObjects({
    member: context.member,
    targets: wanted.map(targetOf),
    signal: context.signal,
    ...defined({ propagation }),
    mayDelete: (live) => {
      const { allowed, guard, why } = mayDelete(factsOf(live));
      if (allowed) return true;
      const object = subjectOf(targetOf(live));
      left.set(object, guard);
      onLeft({ object, guard, why });
      return false;
    },
  });
  return {
    changes,
    failures,
    going: wanted.filter((object) => !left.has(subjectOf(targetOf(object)))),
    unowned: [...left].flatMap(([subject, guard]) => (UNOWNED.includes(guard) ? [subject] : [])).sort(),
  };
}

/** Deletes what the deletion rule allows, in reverse order of applying. Throws ActionError. */
export async function deleteByRule(
  context: ClusterContext,
  objects: readonly Unstructured[],
  options: DeleteOptions,
): Promise<Deletion> {
  const { failures, going, unowned } = await tryDeleteByRule(context, objects, options);
  refuseFailures('delete', failures);
  return { going, unowned };
}

/** Waits until deleted objects are gone, or recreated by someone else. Throws ActionError. */
export async function waitUntilGone(
  context: ClusterContext,
  objects: readonly Unstructured[],
  timeoutMs: number,
): Promise<void> {
  await waitUntil(context, objects, {
    timeoutMs,
    waitingFor: 'deletion of',
    isDone: (live) => live?.metadata.deletionTimestamp === undefined,
  });
}
