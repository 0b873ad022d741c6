import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { CLUSTER_UID_ANNOTATION, HALTED_ANNOTATION } from '#api/v1alpha1/labels.js';
import { describeChild } from '../messages.js';
import { isLeftAlone } from '../once.js';
import { isTerminating } from '../state.js';
import { isSuspendedForRemoval, isUnmanaged } from '../suspension.js';
import type { Child } from '../types.js';
import { clusterIdOf } from './child-cluster.js';
import type { ClusterIndex } from './types.js';
import { haltedFor, isAccepted, replacedText, replacementOf, resumingUid, uidNow } from './replaced.js';

/**
 * Merge patch of a child beside the steps: it is suspended while its cluster is another one, or resumed after that; or
 * only the UID is recorded that was accepted.
 */
export interface Halting {
  readonly op: 'halt' | 'resume' | 'record';
  readonly live: Child;
  readonly change: {
    readonly metadata: { readonly annotations: Readonly<Record<string, string | null>> };
    readonly spec?: { readonly suspend: true | null };
  };
  /** For an event. */
  readonly message: string;
}

interface Situation {
  /** Children of the Application. */
  readonly owned: readonly Child[];
  readonly clusters: ClusterIndex;
  /** Flux reconciles the children. */
  readonly isEngineExternal?: boolean | undefined;
}

function haltOf(live: Child, { clusters, isEngineExternal }: Situation): Halting[] {
  const replacement = replacementOf(live, clusters);
  if (replacement === undefined || live.spec.suspend === true) return [];
  // The embedded engine waits by itself, and so knows later what it has to uninstall.
  if (isTerminating(live) && isEngineExternal !== true) return [];
  const change = {
    metadata: { annotations: { [HALTED_ANNOTATION]: replacement.found } },
    spec: { suspend: true },
  } as const;
  return [{ op: 'halt', live, change, message: `${describeChild(live)}: ${replacedText(live, replacement)}` }];
}

/** The children to suspend: what reconciles them may not know that their cluster is another one. Never throws. */
export function haltsOf(situation: Situation): Halting[] {
  return situation.owned.flatMap((child) => haltOf(child, situation));
}

/** Whether a child stays suspended for another reason; `desired` undefined: no entry says so. */
function staysSuspended(live: Child, desired: Child | undefined): boolean {
  return desired?.spec.suspend === true || isUnmanaged(live) || isSuspendedForRemoval(live);
}

/**
 * Resumes a child that we suspended, with the UID of the cluster that it is for now; undefined: it is not suspended by
 * us, or its cluster is not known to be the right one. `desired` is what its entry wants. Never throws.
 */
export function resumptionOf(live: Child, desired: Child | undefined, clusters: ClusterIndex): Halting | undefined {
  const uid = resumingUid(live, clusters);
  if (uid === undefined || isTerminating(live)) return undefined;
  const metadata = { annotations: { [HALTED_ANNOTATION]: null, [CLUSTER_UID_ANNOTATION]: uid } };
  const change = staysSuspended(live, desired) ? { metadata } : { metadata, spec: { suspend: null } };
  const message = `${describeChild(live)}: its cluster has the UID ${uid}, which is recorded or accepted`;
  return { op: 'resume', live, change, message };
}

/**
 * Records the UID that was accepted on a child that was installed once, which no step writes any more. Without that,
 * the child would tell that its cluster was replaced as soon as the acceptance is gone. Undefined: there is nothing to
 * record, or something else records it. Never throws.
 */
export function recordingOf(live: Child, clusters: ClusterIndex): Halting | undefined {
  const [id, recorded] = [clusterIdOf(live), recordedUid(live)];
  const uid = id === undefined ? undefined : uidNow(id, clusters);
  if (id === undefined || uid === undefined || recorded === undefined || recorded === uid) return undefined;
  if (!isLeftAlone(live) || isHalted(live) || isTerminating(live) || !isAccepted(id, uid, clusters)) return undefined;
  const message = `${describeChild(live)}: its cluster has the UID ${uid}, which is accepted`;
  return { op: 'record', live, change: { metadata: { annotations: { [CLUSTER_UID_ANNOTATION]: uid } } }, message };
}

/** The children that such a patch is for: nothing else of the pass may write them. */
export function haltedIn(halting: readonly Halting[]): ReadonlySet<Child> {
  return new Set(halting.map(({ live }) => live));
}

/** True for a child that we suspended because its cluster was another one. */
export function isHalted(child: Child): boolean {
  return haltedFor(child) !== undefined;
}
