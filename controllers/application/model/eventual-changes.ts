import merge from 'lodash/merge.js';
import omit from 'lodash/omit.js';
import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Finding } from '#controllers/dry-run/change-set.js';
import { clusterNameOf } from './clusters/child-cluster.js';
import { findingOf, type Answer } from './dry-run.js';
import { unmanagement } from './once.js';
import { isOnce } from './suspension.js';
import type { Child, DesiredChild } from './types.js';
import type { Step } from './verdicts.js';

/** A child as it is once it was installed: one that is installed once is left alone from then on. */
export function installed(child: Child): Child {
  return isOnce(child) ? merge({}, child, unmanagement(child)) : child;
}

/** What waits, e.g. until another child is deleted, is done in the end; without an accepted entry, nothing is. */
function inTheEnd(step: Step, wanted: ReadonlyMap<unknown, DesiredChild>): Step {
  const desired = step.op === 'wait' ? wanted.get(step.entry) : undefined;
  if (desired === undefined) return step;
  const { entry, object, live } = desired;
  if (live === undefined) return { op: 'create', entry, object, why: step.why };
  return { op: 'update', entry, object, live, why: step.why, isAdoption: false };
}

/** Its digest follows from the rest. */
function withoutDigest(child: Child): Child {
  const { metadata } = child;
  return { ...child, metadata: { ...metadata, annotations: omit(metadata.annotations, APPLIED_DIGEST_ANNOTATION) } };
}

/** As the host stores it: all of a child is of one who applies it. */
function answerTo(step: Step): Answer {
  if (step.op === 'create') return { live: undefined, next: step.object };
  return step.op === 'update' ? { live: withoutDigest(step.live), next: withoutDigest(step.object) } : undefined;
}

function clusterOf(step: Step): string {
  return 'entry' in step ? step.entry.clusterName : clusterNameOf(step.live);
}

/** What becomes of the children by a plan, whatever it waits for: those that change, each with its cluster. */
export function eventualChanges({
  steps,
  wanted,
}: {
  steps: readonly Step[];
  wanted: readonly DesiredChild[];
}): Finding[] {
  const byEntry = new Map(wanted.map((desired) => [desired.entry, desired]));
  return steps.flatMap((each) => {
    const step = inTheEnd(each, byEntry);
    const finding = findingOf(step, answerTo(step));
    return finding === undefined ? [] : [{ ...finding, message: `on ${clusterOf(step)}: ${finding.message ?? ''}` }];
  });
}
