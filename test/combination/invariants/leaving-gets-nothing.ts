import { keyOf } from '#lib/kube/keys.js';
import type { ChildWrite } from '../record/recorder.js';
import { contentOf } from '../world/targets.js';
import type { Invariant } from './types.js';

function judge({ before, after }: ChildWrite): string[] {
  const isLeaving = before?.metadata.deletionTimestamp !== undefined;
  if (!isLeaving || after === undefined || contentOf(before) === contentOf(after)) return [];
  return [`${keyOf(after.metadata)} is being deleted, and was changed to ${contentOf(after)}`];
}

/** (b) A child that is being deleted gets nothing new: its destination waits until it is gone. */
export function leavingGetsNothing(): Invariant {
  return {
    name: 'leaving-gets-nothing',
    // While news is late, the controllers do not know that it is being deleted.
    onWrites: (writes, { world }) => (world.process.isStale ? [] : writes.flatMap(judge)),
  };
}
